"""Term sources that stay: fetched from a real server or read from a file, kept, checked, used."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from dxjudge.cli.main import run
from dxjudge.errors import EnvironmentFault, InputError, UsageError
from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology.reading.query import read_query
from dxjudge.ontology.releases.listed import RELEASES
from dxjudge.ontology.search.index import open_index
from dxjudge.ontology.search.retrieve import make_retriever
from dxjudge.ontology.sources.added import (
    added_terms,
    change_source,
    find_added,
    list_added,
    remove_source,
    select_added,
    sources_folder,
)
from dxjudge.ontology.sources.adding import add_file, add_known
from dxjudge.ontology.sources.catalogue import default_weight, known_sources
from dxjudge.ontology.sources.download import download
from dxjudge.ontology.sources.forms import FORMATS
from dxjudge.ontology.sources.tabular import Columns
from dxjudge.ontology.terms import Term
from dxjudge.ontology.tree import load_tree

from .file_server import FileServer, content, cut, moved, stalled

DATA = Path(__file__).parent / "data" / "sources"
OBO = b"""format-version: 1.2
data-version: mondo/releases/2026-07-01/mondo.obo
property_value: http://purl.org/dc/terms/license https://creativecommons.org/licenses/by/4.0/

[Term]
id: MONDO:0004979
name: asthma
synonym: "twitchy airways" EXACT []
xref: ICD10CM:J45 {source="MONDO:equivalentTo"}

[Term]
id: MONDO:0000001
name: late asthma
xref: ICD10CM:J45 {source="MONDO:relatedTo"}
"""
PAGE = b"\n<!DOCTYPE html>\n<html><body>Please sign in.</body></html>"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, with the kept trees so that no release is parsed again."""
    usual = Path(os.environ["DXJUDGE_CACHE_DIR"])
    load_tree("icd10cm"), load_tree("icd10")
    folder = tmp_path / "cache"
    folder.mkdir()
    if (usual / "ontology").is_dir():
        shutil.copytree(usual / "ontology", folder / "ontology")
    monkeypatch.setenv("DXJUDGE_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def server() -> Iterator[FileServer]:
    with FileServer({"/mondo.obo": content(OBO)}) as server:
        yield server


def left_over() -> list[str]:
    """Whatever lies in the sources folder but sources."""
    return [path.name for path in sources_folder().glob(".*")]


def test_every_known_source_is_whole_and_its_format_is_one_that_is_read() -> None:
    assert list(known_sources()) == ["mondo", "doid", "ordo"]
    for known in known_sources().values():
        assert known.format in FORMATS
        assert known.url.startswith("https://")
        assert known.licence and known.title
        assert 0 < known.weight <= 1
    assert 0 < default_weight() <= 1


def test_a_release_is_fetched_through_redirects_and_kept(server: FileServer) -> None:
    server.replies["/latest"] = moved("/releases/current", 301)
    server.replies["/releases/current"] = moved(f"{server.url}/mondo.obo", 307)
    seen: list[tuple[str, int, int]] = []
    added = add_known("mondo", url=f"{server.url}/latest", progress=lambda *step: seen.append(step))
    source = find_added("mondo")
    assert source == added.source
    assert server.asked == ["/latest", "/releases/current", "/mondo.obo"]
    assert source.origin == f"{server.url}/mondo.obo"
    assert source.sha256 == sha256(OBO).hexdigest()
    assert source.version == "mondo/releases/2026-07-01/mondo.obo"
    assert source.licence == "CC BY 4.0"
    assert (source.rows, source.terms, added.reading.inexact) == (3, {"icd10cm": 2}, 1)
    assert seen[-1] == ("downloading", len(OBO), len(OBO))
    assert added_terms(source, load_tree()) == [
        Term("asthma", "J45", "mondo"),
        Term("twitchy airways", "J45", "mondo"),
    ]
    assert left_over() == []


def test_orphanet_keeps_rare_diseases_under_the_wider_code(server: FileServer) -> None:
    server.replies["/p.xml"] = content((DATA / "orphanet.xml").read_bytes())
    source = add_known("ordo", url=f"{server.url}/p.xml").source
    assert source.inexact
    assert source.version == "2026-07-01"
    # The codes are of plain ICD-10, which both releases share here.
    assert source.terms == {"icd10cm": 3, "icd10": 3}
    texts = [term.text for term in added_terms(source, load_tree())]
    assert "Miller Fisher syndrome" in texts


@pytest.mark.parametrize(
    ("reply", "error", "message"),
    [
        (None, EnvironmentFault, "answered 404"),
        (cut(OBO, 100), EnvironmentFault, f"broke off after 100 of {len(OBO)} bytes"),
        (content(PAGE, "text/html"), InputError, "is a web page, not data"),
        (content(b""), InputError, "sent nothing"),
        (content(b"\x89PNG\x00\x00"), InputError, "is a binary file; nothing was added"),
        (content(b"term,code\nasthma,J45\n"), InputError, "the form table, but mondo has the form"),
        (content(OBO.replace(b"ICD10CM:", b"ICD9:")), InputError, "nothing in it refers"),
        (content(OBO.replace(b"J45", b"J45.0")), InputError, "none of its 3 rows gives a term"),
    ],
)
def test_a_bad_download_is_said_and_changes_nothing(
    server: FileServer, reply: object, error: type[Exception], message: str
) -> None:
    before = add_known("mondo", url=f"{server.url}/mondo.obo").source
    if reply:
        server.replies["/bad"] = reply  # type: ignore[assignment]
    with pytest.raises(error, match=message) as caught:
        add_known("mondo", url=f"{server.url}/bad")
    assert f"{server.url}/bad" in str(caught.value)
    assert list_added() == [before]
    assert left_over() == []


def test_a_wrong_checksum_is_refused_and_the_right_one_is_not(server: FileServer) -> None:
    url = f"{server.url}/mondo.obo"
    with pytest.raises(InputError, match="has the checksum .*, not " + "0" * 64):
        add_known("mondo", url=url, sha256="0" * 64)
    assert list_added() == []
    add_known("mondo", url=url, sha256=sha256(OBO).hexdigest().upper())
    assert [each.name for each in list_added()] == ["mondo"]


def test_a_machine_without_network_is_told_what_to_do(tmp_path: Path) -> None:
    with FileServer() as gone:
        url = gone.url
    with pytest.raises(EnvironmentFault, match="cannot be reached.*add it by its path"):
        add_known("doid", url=f"{url}/doid.obo")
    with pytest.raises(UsageError, match="starts with http"):
        download((DATA / "marked.obo").as_uri(), tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_an_interrupted_download_leaves_nothing(cache: Path) -> None:
    release = threading.Event()
    with FileServer({"/slow": stalled(OBO, 50, release)}) as server:
        work = subprocess.Popen(
            [sys.executable, "-m", "dxjudge", "sources", "add", "mondo", "--url"]
            + [f"{server.url}/slow"],
            stderr=subprocess.PIPE,
            env={**os.environ, "TMPDIR": str(cache)},
            text=True,
        )
        while not server.asked:
            time.sleep(0.02)
        time.sleep(0.3)
        work.send_signal(signal.SIGINT)
        _, said = work.communicate(timeout=30)
        release.set()
    assert (work.returncode, said.splitlines()[-1]) == (130, "dxjudge: interrupted")
    assert not list(cache.glob("dxjudge-source-*"))
    assert list_added() == []


def test_a_kept_source_that_was_changed_is_not_used(server: FileServer) -> None:
    add_known("mondo", url=f"{server.url}/mondo.obo")
    path = sources_folder() / "mondo" / "icd10cm.tsv"
    path.write_text(path.read_text().replace("J45", "J46"))
    again = "was changed after it was written; remove it .* and add it again"
    with pytest.raises(InputError, match=again):
        _ = Mapper().added
    assert Mapper(added="none").added == ()
    with pytest.raises(InputError, match=again):
        added_terms(find_added("mondo"), load_tree())
    (sources_folder() / "mondo" / "source.json").write_text("{}")
    with pytest.raises(InputError, match="is damaged"):
        list_added()
    remove_source("mondo")
    assert list_added() == []


@pytest.mark.parametrize(
    ("file", "format", "count"),
    [
        ("mappings.sssom.tsv", "sssom", 3),
        ("marked.obo", "obo", 4),
        ("graph.json", "obograph", 0),
        ("index.xml", "cms-index", 9),
        ("neoplasms.xml", "cms-neoplasms", 0),
        ("orphanet.xml", "orphanet", 2),
        ("clinic.csv", "table", 4),
    ],
)
def test_a_file_of_every_form_is_kept_under_its_name(file: str, format: str, count: int) -> None:
    source = add_file(DATA / file, name="mine").source
    assert (source.format, source.weight) == (format, default_weight())
    kept = added_terms(source, load_tree())
    assert len(kept) == source.terms["icd10cm"]
    assert {term.source.partition("/")[0] for term in kept} == {"mine"}
    if count:
        assert len(kept) == count


def test_what_a_file_says_of_itself_is_kept() -> None:
    index = add_file(DATA / "index.xml", name="index", licence="public domain").source
    assert (index.version, index.licence) == ("2026", "public domain")
    assert index.terms == {"icd10cm": 9}
    orphanet = add_file(DATA / "orphanet.xml", name="rare").source
    assert (orphanet.version, orphanet.licence) == ("2026-07-01", "CC-BY-4.0")
    table = add_file(DATA / "clinic.csv", name="ward", version="spring").source
    assert (table.version, table.licence) == ("spring", "not stated")


def test_a_table_may_name_its_columns_and_encoding(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_bytes("name;said;old;icd\nx;Grützbeutel;y;L72.11\n".encode("cp1252"))
    options = {"columns": Columns("said", "icd"), "encoding": "cp1252"}
    source = add_file(path, name="ward", **options).source  # type: ignore[arg-type]
    assert added_terms(source, load_tree()) == [Term("Grützbeutel", "L72.11", "ward")]
    with pytest.raises(InputError, match="no column 'text'; there are: name, said, old, icd"):
        add_file(path, name="ward", columns=Columns("text"), encoding="cp1252")


def test_a_row_that_names_its_own_source_shows_both(tmp_path: Path) -> None:
    path = tmp_path / "w.tsv"
    path.write_text("term\tcode\tsource\nwheezles\tJ45\tward 3\nsneezles\tJ30.9\t\n")
    source = add_file(path, name="ward").source
    assert [term.source for term in added_terms(source, load_tree())] == ["ward/ward 3", "ward"]


@pytest.mark.parametrize("name", ["official", "dxjudge", "all", "a/b", "..", "", "Ward", "x" * 41])
def test_a_name_that_would_mislead_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name of a source"):
        add_file(DATA / "clinic.csv", name=name)


def test_which_sources_join_can_be_chosen() -> None:
    add_file(DATA / "index.xml", name="index")
    add_file(DATA / "orphanet.xml", name="rare", weight=0.7)
    names = [each.name for each in select_added("all", "icd10cm")]
    assert names == ["index", "rare"]
    # The index holds no code of the WHO's ICD-10.
    assert [each.name for each in select_added("all", "icd10")] == ["rare"]
    assert select_added("none", "icd10cm") == ()
    assert [each.name for each in select_added(["rare"], "icd10cm")] == ["rare"]
    change_source("index", active=False)
    assert [each.name for each in select_added("all", "icd10cm")] == ["rare"]
    assert [each.name for each in select_added(["index"], "icd10cm")] == ["index"]
    with pytest.raises(UsageError, match="no added source 'doid'; there is index, rare"):
        select_added(["doid"], "icd10cm")
    with pytest.raises(UsageError, match="index has no term for icd10"):
        select_added(["index"], "icd10")
    with pytest.raises(UsageError, match="it is all, none or a list"):
        select_added("some", "icd10cm")


def test_the_weight_of_a_source_scales_its_terms_alone(tmp_path: Path) -> None:
    from dxjudge.ontology.search.encode import open_encoder

    terms = [Term("Asthma", "J45", "official"), Term("twitchy airways", "J45.9", "mine/ward")]
    index = open_index("weights", lambda: terms, open_encoder(), tmp_path)
    query = read_query("twitchy airways")

    def fused(weights: dict[str, float]) -> dict[str, float]:
        (hits,) = make_retriever(index, load_tree(), weights).search([query])
        return {hit.code: hit.fused for hit in hits}

    full, half = fused({}), fused({"mine": 0.5, "other": 0.1})
    # Equal texts: cosines of 1 in meaning and spelling, so 0.3 + 0.7 = 1, and half of it 0.5.
    assert full["J45.9"] == pytest.approx(1, abs=0.01)
    assert half["J45.9"] == pytest.approx(0.5, abs=0.01)
    assert full["J45"] == half["J45"]


def test_an_added_term_is_found_says_its_source_and_yields_to_official_ones() -> None:
    rows = "term\tcode\nzorblax of the elbow\tJ45\nasthma\tA00\n"
    Path(os.environ["DXJUDGE_CACHE_DIR"], "mine.tsv").write_text(rows)
    source = add_file(Path(os.environ["DXJUDGE_CACHE_DIR"], "mine.tsv"), name="mine").source
    # The smaller release without the terms that it borrows, its index beside the code: it is built
    # once and not for each run.
    folder = Path(__file__).parents[1] / "build" / "test-cache"
    small = replace(RELEASES["icd10"], lender=None)
    mapper = Mapper(small, folder=folder)
    found = mapper.map("Zorblax of the elbow")
    assert (found.code, found.decided_by, found.source) == ("J45", "exact", "mine")
    # Never more than an equal synonym of the project's own: 0.9 times the weight.
    assert found.score == pytest.approx(0.86 * source.weight)
    assert "the mine term 'zorblax of the elbow'" in found.candidates[0].why
    official = mapper.map("Asthma")
    assert (official.code, official.source, official.score) == ("J45", "official", 1.0)
    signature = mapper.signature
    assert signature["added"] == {"mine": ["", source.sha256[:12]]}
    assert signature["weights"] == {"mine": source.weight}
    assert signature["sources"]["mine"] == 2
    other = Mapper(small, folder=folder, added="none")
    assert other.added == ()


def test_the_command_adds_lists_changes_and_removes(
    server: FileServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["sources", "list"]) == 0
    assert "no source is added" in capsys.readouterr().out
    assert run(["sources", "add", "mondo", "--url", f"{server.url}/mondo.obo"]) == 0
    said = capsys.readouterr().out
    for part in ("CC BY 4.0", "2 for icd10cm", sha256(OBO).hexdigest(), "1 of 3 rows are inexact"):
        assert part in said
    assert run(["sources", "add", str(DATA / "clinic.csv"), "--weight", "0.5"]) == 0
    assert "'J45.0' is not a code of icd10cm" in capsys.readouterr().out
    assert run(["sources", "set", "mondo", "--inactive"]) == 0
    assert run(["sources", "list"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    header = "name rows terms licence version added weight active"
    assert header in lines
    assert any(
        line.startswith("clinic 7 icd10cm 4") and line.endswith(" 0.5 yes") for line in lines
    )
    assert any(line.startswith("mondo 3 icd10cm 2 CC BY 4.0") for line in lines)
    assert run(["sources", "list", "--json"]) == 0
    held = json.loads(capsys.readouterr().out)["added"]
    assert [(each["name"], each["active"]) for each in held] == [("clinic", True), ("mondo", False)]
    assert run(["sources", "remove", "mondo"]) == 0
    assert [each.name for each in list_added()] == ["clinic"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["add", "nowhere.csv"], 4, "there is no such file"),
        (["add", str(DATA / "clinic.csv"), "--url", "http://x"], 2, "--url and --sha256 are for"),
        (["add", "mondo", "--licence", "mine"], 2, "--licence is for files"),
        (["add", str(DATA / "clinic.csv"), "--weight", "0"], 2, "weight 0 must be above 0"),
        (["set", "clinic"], 2, "nothing to change"),
        (["set", "clinic", "--weight", "0.5"], 2, "no added source 'clinic'; there is none"),
        (["remove", "clinic"], 2, "no added source 'clinic'"),
        (["remove", "../cache"], 2, "no added source"),
    ],
)
def test_the_command_says_what_it_cannot_do(
    arguments: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["sources", *arguments]) == code
    assert message in capsys.readouterr().err
