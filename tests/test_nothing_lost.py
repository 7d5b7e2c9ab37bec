"""Where two parts meet, what one of them leaves out is said or refused."""

import inspect
import json
import re
from collections.abc import Iterator
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, get_args

import pyarrow.parquet as parquet
import pytest
from typer.main import get_command

from dxjudge.agents.engine.faults import read_fault
from dxjudge.agents.engine.judges import as_judge
from dxjudge.agents.engine.token_scores import first_tokens
from dxjudge.cache.key import fingerprint
from dxjudge.cli.apart import WRITTEN, names_output
from dxjudge.cli.main import app, forgive, run
from dxjudge.curation.exports import export_rows
from dxjudge.errors import InputError
from dxjudge.evaluation.cases import Source, read_responses
from dxjudge.evaluation.cells import read_list, read_probabilities, read_scores
from dxjudge.evaluation.read import hashes_of, load_cases, response_sources
from dxjudge.files.rows_out import write_columns
from dxjudge.graphs.jury.votes_file import read_votes, write_votes
from dxjudge.scoring.votes import Vote

from .protocol_server import Act, ProtocolServer, Seen

CASES = [
    {"id": 1, "question": "?", "options": {"A": "x", "B": "y"}, "answer": "A"},
    {"id": 2, "question": "?", "options": {"A": "x", "B": "y"}, "answer": "B"},
]
STEP = "judge_equivalence"


def written(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_a_response_without_a_model_is_no_row_of_nobody(tmp_path: Path) -> None:
    rows = [{"id": 1, "response": "A", "model": "m"}, {"id": 2, "response": "B"}]
    path = written(tmp_path / "r.jsonl", *rows)
    with pytest.raises(InputError, match=r"r\.jsonl, row 2: the model is missing"):
        response_sources([("r", path)])
    # A message names the row of the file, not that of the model's own rows.
    named = written(path, rows[0], {"id": 1, "model": "n"}, {"id": 9, "model": "m"})
    sources = response_sources([("r", named)])
    cases = {case.id: case for case in load_cases(written(tmp_path / "c.jsonl", *CASES))}
    with pytest.raises(InputError, match="row 3: no case has the id '9'"):
        read_responses(sources["m"], cases)
    assert [place for place, _ in Source("x", [{}, {}]).placed()] == ["x, row 1", "x, row 2"]


def test_two_files_of_one_name_have_both_hashes(tmp_path: Path) -> None:
    files = [tmp_path / folder / "x.jsonl" for folder in ("a", "b", "c")]
    for number, path in enumerate(files):
        path.parent.mkdir()
        path.write_text(str(number))
    hashes = hashes_of(files[2], [("m", files[0]), ("n", files[1])])
    assert list(hashes) == ["x.jsonl", "n=x.jsonl", "cases=x.jsonl"]
    assert len({*hashes.values()}) == 3
    named_alike = hashes_of(files[2], [("x", files[0]), ("x", files[1]), ("x", files[2])])
    assert len(named_alike) == 4


def test_numbers_that_no_float_holds_and_keys_that_stand_twice_name_their_row() -> None:
    for read in (read_probabilities, read_scores):
        for cell in ({"A": 10**400}, '{"A": 0.9, "A": 0.1}', "[0.5]", {"A": None}):
            with pytest.raises(InputError, match="row 7: "):
                read(cell, "row 7")
    with pytest.raises(InputError, match="row 7: the key 'a' occurs twice"):
        read_list('[{"a": 1, "a": 2}]', "row 7")


def test_a_case_has_one_name_in_every_form(tmp_path: Path) -> None:
    """A spreadsheet or a frame keeps the case 7 as 7.0; it is the same case."""
    row = {"step": STEP, "judge": "ann", "verdict": True}
    votes = read_votes(written(tmp_path / "v.jsonl", {"case": 7.0, **row}, {"case": "07", **row}))
    assert [vote.case for vote in votes] == ["7", "07"]


def test_votes_of_people_that_meet_no_row_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "rows.csv"
    table.write_text("id,predicted,truth\n1,gout,gout\n2,gout,asthma\n")
    row = {"step": STEP, "judge": "ann", "verdict": True}
    people = [{"case": 1.0, **row}, {"case": "02", **row}, {"case": 1, **row, "step": "other"}]
    human = written(tmp_path / "people.jsonl", *people)
    out = tmp_path / "out.jsonl"
    run(["judge", STEP, str(table), "-o", str(out), "--judge", "rules", "--human", str(human)])
    said = capsys.readouterr().err
    assert "people.jsonl: not read: 1 vote on other cases: 02\n" in said
    assert "people.jsonl: not read: 1 vote on other steps than judge_equivalence\n" in said
    votes = [json.loads(line)["votes"] for line in out.read_text().splitlines()]
    assert [vote["done"] for vote in votes] == [2, 0]


def test_votes_that_only_one_judge_cast_are_counted_in_the_printed_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {"case": case, "step": STEP, "judge": judge, "verdict": True}
        for judge, cases in (("a", "12"), ("b", "23"))
        for case in cases
    ]
    assert run(["agree", str(written(tmp_path / "v.jsonl", *rows))]) == 0
    [line] = [one for one in capsys.readouterr().out.splitlines() if "no vote of one" in one]
    assert line.split()[-2:] == ["2", "2"]


def test_a_whole_number_of_any_size_is_written_to_parquet(tmp_path: Path) -> None:
    votes = [Vote("1", "s", "a", verdict=True, tokens_in=size) for size in (10**30,)]
    path = tmp_path / "votes.parquet"
    write_votes(path, votes)
    assert parquet.read_table(path).column("tokens_in").to_pylist() == [str(10**30)]


TWO_CALLS = {
    "tool_calls": [
        {"function": {"name": "f", "arguments": json.dumps({"same_disease": answer})}}
        for answer in ("yes", "no")
    ]
}


def body(message: dict[str, Any], usage: Any) -> Act:
    reply = {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}
    return Act(body=json.dumps(reply).encode())


def test_a_judge_that_says_two_things_is_asked_again_and_unreported_tokens_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    yes = {"content": '{"same_disease": "yes"}'}
    usages = iter([{"prompt_tokens": 10, "completion_tokens": 2}, {"prompt_tokens": 10**400}, None])

    def script(seen: Seen) -> Act:
        return body(TWO_CALLS if len(seen.body["messages"]) == 2 else yes, next(usages))

    table, out = tmp_path / "rows.csv", tmp_path / "out.jsonl"
    table.write_text("id,predicted,truth\n1,a,b\n")
    with ProtocolServer(script) as server:
        options = ("--judge", server.judge(), "--engine", "llm", "--cache-mode", "off")
        code = run(["judge", STEP, str(table), "-o", str(out), *options])
        # It answers with JSON, so it is asked for JSON in the same way.
        assert all("response_format" in seen.body for seen in server.seen)
    row = json.loads(out.read_text())
    assert (code, row["equivalent"], row["repairs"]) == (0, True, 1)
    assert "2 calls, 0 rows from the cache, 1 repaired, 12 tokens (not reported for 1 answer)" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("header", "wait"),
    [
        ("2", 2.0),
        ("-5", 0.0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("Wed, 21 Oct 2099 07:28:00 GMT", None),
        ("nan", None),
        ("1e400", None),
        ("soon", None),
    ],
)
def test_nobody_waits_for_what_no_server_can_mean(header: str, wait: float | None) -> None:
    class Throttled(Exception):
        status_code = 429
        response = type("Response", (), {"headers": {"retry-after": header}, "status_code": 429})

    fault = read_fault(Throttled("slow down"), as_judge("openai:gpt-4o"))
    assert fault is not None
    assert fault.wait == wait


@pytest.mark.parametrize("logprob", [float("nan"), None, "x", True, 10**400, [], 0.5])
def test_a_log_probability_that_is_none_is_no_score(logprob: Any) -> None:
    good = {"token": "b", "logprob": -0.5}
    entries = [{"token": "a", "logprob": logprob}, good]
    assert first_tokens({"content": [{"top_logprobs": entries}]}) == [("b", -0.5)]
    assert first_tokens({"content": [{**good, "top_logprobs": 5}]}) == [("b", -0.5)]
    with pytest.raises(ValueError, match="no log-probabilities"):
        first_tokens({"content": [{"token": "a", "logprob": logprob}]})


@pytest.mark.parametrize("form", ["jsonl", "xlsx"])
def test_an_empty_cell_of_a_pilot_is_an_unresolved_case_in_every_form(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """JSON leaves out what is empty, and Excel too."""
    rows = [{"a": 1, "b": number % 3 % 2, "c": number} for number in range(12)]
    del rows[0]["a"], rows[0]["c"], rows[1]["c"]
    path = tmp_path / f"pilot.{form}"
    if form == "xlsx":
        columns = {name: [row.get(name) for row in rows] for name in "abc"}
        write_columns(str(path), "xlsx", columns)
    else:
        written(path, *rows)
    assert run(["power", str(path), "--first", "a", "--second", "b"]) == 0
    assert "1 unresolved" in " ".join(capsys.readouterr().out.split())
    assert run(["power", str(path), "--first", "a", "--second", "b", "--cluster", "c"]) == 4
    # Row 1 does not count, and needs no cluster.
    assert f"pilot.{form}, row 2: c is empty" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("rows", "missing"),
    [
        ([{"prompt_id": "1", "prompt": "[]", "rubrics": []}], "rubrics"),
        ([{"prompt": [], "completion": "x", "rubric": "r", "binary_labels": []}], "prompt"),
        ([{"PATHOLOGY": "gout", "DIFFERENTIAL_DIAGNOSIS": "[]", "EVIDENCES": "[]"}], "PATHOLOGY"),
    ],
)
def test_a_row_of_another_tool_that_lacks_a_cell_is_named(
    rows: list[dict[str, Any]], missing: str, tmp_path: Path
) -> None:
    lacking = {name: cell for name, cell in rows[0].items() if name != missing}
    conditions = tmp_path / "conditions.json"
    conditions.write_text('{"gout": {"icd10-id": "M10"}}')
    path = written(tmp_path / "cases.jsonl", *rows, lacking)
    with pytest.raises(InputError, match=rf"row 2: the {missing} is missing"):
        load_cases(path, conditions=conditions)


def test_evidence_of_an_exported_case_may_be_texts_and_nothing_else_but_objects(
    tmp_path: Path,
) -> None:
    case = {"case": "Pain.", "options": {"A": "gout", "B": "flu"}, "answer": "A"}
    evidence = ["a text", {"type": "blood", "text": "urate high"}, {"text": "no type"}]
    export_rows([{**case, "evidence": evidence}], "inspect", tmp_path, tmp_path, "x")
    [sample] = map(json.loads, (tmp_path / "samples.jsonl").read_text().splitlines())
    assert "Pain.\n\na text\n\nblood: urate high\n\nno type\n\n" in sample["input"]
    for wrong in ("a text", [5]):
        with pytest.raises(InputError, match="row 1: the evidence is not a list"):
            export_rows([{**case, "evidence": wrong}], "inspect", tmp_path, tmp_path, "x")


def test_probabilities_of_what_is_no_option_fail_their_response_and_not_the_run(
    tmp_path: Path,
) -> None:
    cases = {case.id: case for case in load_cases(written(tmp_path / "c.jsonl", *CASES))}
    rows = [
        {"id": 1, "probabilities": {"a": 0.25, "B ": 0.75}},
        {"id": 2, "probabilities": {"A": 0.9, "E": 0.1}},
        {"id": 2, "sample": "2", "probabilities": {"A": 0.5, "a": 0.5}},
    ]
    read = read_responses(Source("r", rows), cases)
    [folded], [foreign, twice] = read["1"], read["2"]
    assert (folded.probabilities, folded.fault, folded.answer) == ({"A": 0.25, "B": 0.75}, "", "B")
    assert foreign.probabilities is None and "'E', which is no option" in foreign.fault
    assert twice.probabilities is None and "an option twice" in twice.fault


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("agree v.jsonl -o v.jsonl", "--output and the argument votes"),
        ("agree v.jsonl -o a.csv --contested a.csv", "--output and --contested"),
        ("judge judge_equivalence v.jsonl -o a.csv --account v.jsonl", "--account and the argum"),
        ("judge judge_equivalence v.jsonl -o a.csv --journal sub/../a.csv", "--output and --jour"),
        ("judge judge_equivalence v.jsonl -o a.csv --judge human:h.csv --votes h.csv", "--judge"),
        ("evaluate h.csv x=v.jsonl -o out --account v.jsonl", "--account and the argument resp"),
        ("cache export h.csv --cache h.csv", "the argument output and --cache"),
        ("judge judge_equivalence v.jsonl -o c.csv --cache c.csv", "--output and --cache"),
        (
            "judge judge_equivalence v.jsonl -o a.csv --log a.csv.journal",
            "--log and the journal of",
        ),
        ("curate dedupe v.jsonl -o a.jsonl --duplicates v.jsonl", "--duplicates and the argument"),
    ],
)
def test_a_file_is_never_written_over_another_one_of_the_same_line(
    line: str,
    named: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    for name in ("v.jsonl", "h.csv"):
        Path(name).write_text("kept")
    assert run(line.split()) == 2
    said = capsys.readouterr().err
    assert named in said and "name the same file" in said
    assert {path.read_text() for path in tmp_path.iterdir() if path.is_file()} == {"kept"}


# What a command reads, or writes in place (a canonical table), or a folder that it fills.
READ = frozenset(
    """cases cassette concepts conditions config disagree earlier equivalences evidences first
    folder input models people pilot prices ratings report run runs scores second source stress
    table tables votes weights""".split()
)
NO_FILE = frozenset(("cache_mode", "cluster", "new"))  # whose help speaks of writing too


def parameters(group: Any) -> Iterator[tuple[Any, str]]:
    """Each parameter of each command, and its type as the command's function has it."""
    for command in group.commands.values():
        if hasattr(command, "commands"):
            yield from parameters(command)
            continue
        own = inspect.signature(command.callback).parameters
        yield from ((one, str(get_args(own[one.name].annotation)[0])) for one in command.params)


def test_each_parameter_that_names_a_file_is_known_as_written_or_as_read() -> None:
    """One that is missing in both could be written over another file of its line."""
    written, read, silent = set[str](), set[str](), set[str]()
    for one, kind in parameters(get_command(app)):
        if names_output(one):
            written.add(one.name)
        elif "Path" in kind:
            read.add(one.name)
        elif "str" in kind and re.search(r"\bwrite\b", one.help or "", re.IGNORECASE):
            silent.add(one.name)
    assert written == WRITTEN
    assert read == READ
    assert silent == NO_FILE


def test_a_cassette_never_changes_a_reply_in_silence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fields = {"step": "s", "input": "x"}
    lines = [
        {"key": fingerprint(fields), "fields": fields, "reply": {"text": text}}
        for text in ("yes", "no")
    ]
    head = {"format": "dxjudge cassette", "version": 1}
    cache = str(tmp_path / "cache.sqlite")
    for name, reply in zip(("first", "second"), lines, strict=True):
        written(tmp_path / name, head, reply, reply)
    both = written(tmp_path / "both", head, *lines)
    assert run(["cache", "import", str(both), "--cache", cache]) == 4
    assert "both, line 3: another reply than in a line before it" in capsys.readouterr().err
    for name, told in (("first", "1 replies\n"), ("second", "1 in place of another reply\n")):
        assert run(["cache", "import", str(tmp_path / name), "--cache", cache]) == 0
        assert capsys.readouterr().out.endswith(told)


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
def test_half_a_surrogate_pair_ends_no_command_that_prints_it(errors: str) -> None:
    """The C locale writes half pairs of its own, and no others."""
    stream = TextIOWrapper(BytesIO(), encoding="utf-8", errors=errors)
    forgive(stream)
    stream.write("a \ud800")
    stream.flush()
    assert stream.buffer.getvalue() == b"a ?"
