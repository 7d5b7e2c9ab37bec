"""Batches of distributed data sets are mapped, also on a cluster that loses a node."""

import os
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from dxjudge import Mapper
from dxjudge.adapters.map_batch import MapBatch
from dxjudge.errors import UsageError
from dxjudge.graphs.many import ADDED

TEXTS = ["gout", "asthma", "gout", None]


@pytest.mark.parametrize(
    ("batch", "kind"),
    [
        ({"n": np.arange(4), "dx": np.array(TEXTS, object)}, pa.Table),
        (pa.table({"n": range(4), "dx": TEXTS}), pa.Table),
        (pd.DataFrame({"n": range(4), "dx": TEXTS}), pd.DataFrame),
    ],
)
def test_a_batch_of_any_form_gets_the_columns_of_a_mapping(
    batch: Any, kind: type, mapper: Mapper
) -> None:
    work = pickle.loads(pickle.dumps(MapBatch("dx", added="none")))
    mapped = work(batch)
    assert isinstance(mapped, kind)
    table = mapped if isinstance(mapped, pa.Table) else pa.Table.from_pandas(mapped)
    assert table.column_names == ["n", "dx", *ADDED]
    assert table["n"].to_pylist() == [0, 1, 2, 3]
    codes = [mapper.map(text or "").code for text in TEXTS]
    assert [code or None for code in table["code"].to_pylist()] == codes


def test_blocks_have_one_schema_whatever_they_hold() -> None:
    work = MapBatch(added="none")
    blocks = [work({"dx": texts}) for texts in (["gout"], [""], ["diabetic foot with ulcer"])]
    assert len({block.schema for block in blocks}) == 1
    assert pa.concat_tables(blocks).num_rows == 3


def test_a_column_that_is_not_clear_is_named() -> None:
    with pytest.raises(UsageError, match="first, second"):
        MapBatch(added="none")({"first": ["gout"], "second": ["asthma"]})


@pytest.mark.skipif(
    not os.environ.get("DXJUDGE_RAY"), reason="takes a minute: `make cluster` runs it, with Ray"
)
def test_a_cluster_that_loses_a_node_maps_every_row_once() -> None:
    ray: Any = pytest.importorskip("ray")
    utils: Any = pytest.importorskip("ray.cluster_utils")
    cluster = utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    lost = cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address)
    try:
        rows = [{"n": n, "dx": f"gout of toe {n % 50}, stage {n % 7}"} for n in range(800)]
        batches = iter(
            ray.data.from_items(rows, override_num_blocks=20)
            .map_batches(
                MapBatch,
                fn_constructor_kwargs={"column": "dx", "added": "none"},
                batch_format="pyarrow",
                batch_size=40,
                num_cpus=1,  # so each of the two nodes has one
                compute=ray.data.ActorPoolStrategy(size=2),
            )
            .iter_batches(batch_size=None, batch_format="pyarrow")
        )
        tables = [next(batches) for _ in range(5)]
        cluster.remove_node(lost, allow_graceful=False)
        tables += batches
    finally:
        ray.shutdown()
        cluster.shutdown()
    table = pa.concat_tables(tables)
    assert sorted(table["n"].to_pylist()) == list(range(800))
    expected = Mapper(added="none").map_many([row["dx"] for row in rows])
    by_number = dict(zip(table["n"].to_pylist(), table["code"].to_pylist(), strict=True))
    assert [by_number[n] for n in range(800)] == [mapping.code for mapping in expected]
