"""An address with a secret is refused before anything is written, and no message shows it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dxjudge.cache.store import without_password
from dxjudge.cli.cluster.on_ray import connected
from dxjudge.cli.main import run
from dxjudge.errors import UsageError
from dxjudge.files.addresses import check_address
from dxjudge.files.blocks import open_place
from dxjudge.ontology.search.chroma import open_server

SECRET = "sEcr3t"


def connect(address: str) -> None:
    with connected(address):
        raise AssertionError("there is no such cluster")


@pytest.mark.parametrize(
    "address",
    [
        f"s3://KEY:{SECRET}@bucket/folder",
        f"s3://KEY:{SECRET}/with+slash/@bucket/folder",
        f"abfs://:{SECRET}@account.example/folder",
        f"abfs://container@account.example/folder?client_secret={SECRET}",
        f"s3://KEY:{SECRET}@bucket/?endpoint_override=http://host",
        f"https://host/folder?X-Amz-Signature={SECRET}&a=b",
        f"ray://user:{SECRET}@host:10001",
        f"s3://KEY:12/34{SECRET}@bucket",
        f"s3://user@example.com:{SECRET}@bucket",
        f"s3://bucket/k?endpoint_override=http://u:{SECRET}@host",
        f"s3://bucket/k?endpoint_override=host%3Fapi_key={SECRET}",
    ],
)
@pytest.mark.parametrize("opened", [open_place, open_server, connect])
def test_no_command_takes_a_secret_in_an_address(
    address: str, opened: Callable[[str], object]
) -> None:
    with pytest.raises(UsageError, match="holds a password or a key") as fault:
        opened(address)
    assert SECRET not in str(fault.value)
    if opened is not open_place:  # for which it is the name of a file
        with pytest.raises(UsageError, match="holds a password or a key"):
            opened(address.partition("://")[2])


@pytest.mark.parametrize(
    "address",
    [
        "/data/a:b@c", "host:6379", "s3://bucket/a://b", "s3://bucket/day=1:00/a@b?endpoint_override=localhost:9000",
        "hdfs://user@host:9000/a@b", "gs://anonymous@bucket/a", "abfs://box@account.example/a",
        "s3://bucket/k?keyspace=a&monkey=b", "http://[::1]:8000/a@b", "http://user@[::1]:8000/a@b",
    ],
)  # fmt: skip
def test_a_user_a_port_and_odd_names_are_no_secret(address: str) -> None:
    check_address(address, "it", "")


def test_a_job_keeps_no_secret(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in.csv").write_text("predicted,truth\ngout,gout\n")
    out, place = f"file://u:{SECRET}@/{tmp_path}/out", f"s3://KEY:{SECRET}@bucket/in"
    command = ["judge", "judge_equivalence", "--engine", "rules", "--cluster"]
    assert run([*command, place, "-o", str(tmp_path / "out")]) == 2
    assert run([*command, str(tmp_path / "in.csv"), "-o", out]) == 2
    assert SECRET not in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_the_place_of_a_cache_is_shown_without_its_secret() -> None:
    assert without_password(f"redis://u:{SECRET}@h:1/0?password={SECRET}") == "redis://h:1/0"
    for odd in (f"redis://h:1/0?password=a@{SECRET}", f"redis://u:{SECRET}?a@h:1/0"):
        assert SECRET not in without_password(odd)
