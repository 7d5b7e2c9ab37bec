import asyncio
import json
import os
import sqlite3
import stat
import subprocess
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dxjudge.cache.cassette import export_cassette, import_cassette
from dxjudge.cache.claims import Claims
from dxjudge.cache.key import canonical, differences, fingerprint
from dxjudge.cache.open import open_store
from dxjudge.cache.owner import own_name
from dxjudge.cache.replies import Replies
from dxjudge.cache.sqlite import SqliteStore, select_keys
from dxjudge.cache.store import Store
from dxjudge.errors import EnvironmentFault, InputError, OutputError, UsageError
from dxjudge.files.folders import cache_folder

from .redis_server import running_redis

FIELDS = {"step": "s", "version": 1, "input": {"diagnosis": "MI"}, "judge": {"model": "a"}}
INDEX = "sqlite_autoindex_cache_1"
REPLY = {"answer": {"choice": "Angina"}, "tokens_in": 3}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def keep(replies: Replies, fields: dict[str, Any], reply: dict[str, Any]) -> str:
    key = fingerprint(fields)
    asyncio.run(replies.akeep(fields, key, reply))
    return key


@pytest.fixture(scope="module")
def redis_url() -> Iterator[str]:
    with running_redis() as url:
        yield url


@pytest.fixture(params=["sqlite", "redis"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    place = tmp_path / "r.sqlite"
    opened = open_store(
        place if request.param == "sqlite" else request.getfixturevalue("redis_url")
    )
    opened.clear()
    yield opened
    opened.close()


def test_the_key_is_the_sha256_of_canonical_json() -> None:
    # sha256 of the seven characters {"a":1}
    assert canonical({"a": 1}) == '{"a":1}'
    expected = "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
    assert fingerprint({"a": 1}) == expected


@given(st.dictionaries(st.text(), json_values, max_size=4))
def test_the_key_does_not_depend_on_the_order_of_fields(value: dict[str, Any]) -> None:
    assert fingerprint(dict(reversed(value.items()))) == fingerprint(value)
    assert fingerprint(json.loads(canonical(value))) == fingerprint(value)


def test_what_is_not_json_has_no_key() -> None:
    with pytest.raises(TypeError):
        fingerprint({"a": {1, 2}})
    with pytest.raises(ValueError):
        fingerprint({"a": float("nan")})


def test_differences_are_named_field_by_field() -> None:
    other = {"step": "s", "version": 2, "input": {"diagnosis": "Angina"}, "judge": {"model": "a"}}
    assert differences(FIELDS, other) == {
        "input.diagnosis": ("MI", "Angina"),
        "version": (1, 2),
    }


def test_a_kept_reply_is_found_again_by_another_reader(store: Store) -> None:
    key = keep(Replies(store), FIELDS, REPLY)
    assert Replies(store).find([key]) == {key: REPLY}
    assert Replies(store).find([key, "0" * 64]) == {key: REPLY}


def test_values_are_plain_json(store: Store) -> None:
    with pytest.raises(TypeError):
        store.set({(("reply",), "k"): ({"bad": {1, 2}}, None)})


def test_many_keys_are_read_in_one_call(store: Store) -> None:
    replies = Replies(store)
    fields = [{**FIELDS, "repeat": number} for number in range(1500)]
    replies.keep((entry, {"answer": entry["repeat"]}, "") for entry in fields)
    keys = [fingerprint(entry) for entry in fields]
    found = replies.find(keys)
    assert [found[key]["answer"] for key in keys] == list(range(1500))


def test_modes_decide_what_is_read_and_written(store: Store) -> None:
    key = keep(Replies(store), FIELDS, REPLY)
    for mode, reads in (("read-write", True), ("replay", True), ("refresh", False), ("off", False)):
        replies = Replies(store, mode)  # type: ignore[arg-type]
        assert (replies.find([key]) == {key: REPLY}) is reads
    keep(Replies(store, "replay"), FIELDS, {"answer": "other"})
    keep(Replies(store, "off"), FIELDS, {"answer": "other"})
    assert Replies(store).find([key]) == {key: REPLY}
    keep(Replies(store, "refresh"), FIELDS, {"answer": "other"})
    assert Replies(store).find([key]) == {key: {"answer": "other"}}


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(UsageError, match="replay"):
        Replies(mode="readonly")  # type: ignore[arg-type]


def test_off_opens_no_file(tmp_path: Path) -> None:
    replies = Replies(tmp_path / "r.sqlite", "off")
    assert asyncio.run(replies.afind(["k"])) == {}
    keep(replies, FIELDS, REPLY)
    assert list(tmp_path.iterdir()) == []


def test_why_names_the_fields_in_which_the_nearest_reply_differs(store: Store) -> None:
    replies = Replies(store)
    keep(replies, {**FIELDS, "step": "other"}, REPLY)
    near = keep(replies, {**FIELDS, "judge": {"model": "b"}}, REPLY)
    asyncio.run(replies.anote([(fingerprint(FIELDS), FIELDS)], "replay"))
    found = replies.why(fingerprint(FIELDS)[:12])
    assert (found.kept, found.nearest) == (False, near)
    assert found.differences == {"judge.model": ("a", "b")}


def test_why_of_a_key_that_nobody_asked_for_is_an_error(store: Store) -> None:
    with pytest.raises(UsageError, match="neither kept nor a recorded miss"):
        Replies(store).why("abc")


def test_a_note_is_never_served(store: Store) -> None:
    replies = Replies(store)
    asyncio.run(replies.anote([(fingerprint(FIELDS), FIELDS)], "refused"))
    assert replies.find([fingerprint(FIELDS)]) == {}
    assert list(replies.entries()) == []


def test_clear_forgets_everything(store: Store) -> None:
    replies = Replies(store)
    key = keep(replies, FIELDS, REPLY)
    replies.clear()
    assert replies.find([key]) == {}


def test_only_the_owner_can_read_the_file(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "r.sqlite"
    store = open_store(path)
    keep(Replies(store), FIELDS, REPLY)
    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file.name
    store.close()


def test_the_users_cache_is_where_the_variable_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DXJUDGE_CACHE_DIR", str(tmp_path / "here"))
    store = open_store()
    assert store.place == str(tmp_path / "here" / "replies.sqlite")
    store.close()


@pytest.mark.parametrize("named", ["~/x", "$SCRATCH/x", "${SCRATCH}/x", "x"])
def test_the_users_folder_is_one_for_everything_however_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    # Before, ~/x made a folder named "~" for replies and another one for the index.
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SCRATCH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DXJUDGE_CACHE_DIR", named)
    assert cache_folder() == tmp_path / "x"
    store = open_store()
    store.close()
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize("named", ["~nobody-here/x", "$NOT_SET_ANYWHERE/x"])
def test_a_folder_that_names_nobody_is_a_clear_error(
    monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    monkeypatch.setenv("DXJUDGE_CACHE_DIR", named)
    with pytest.raises(UsageError, match="DXJUDGE_CACHE_DIR"):
        open_store()


def test_a_file_that_is_no_database_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    path.write_bytes(b"not a database, certainly not one" * 100)
    with pytest.raises(EnvironmentFault, match=r"r\.sqlite"):
        open_store(path)


def test_a_cache_on_a_disk_that_takes_no_lock_is_read(tmp_path: Path) -> None:
    # Before, a complete cache on a read-only disk was refused.
    path = tmp_path / "r ? #.sqlite"
    replies = Replies(path)
    key = keep(replies, FIELDS, REPLY)
    replies.close()
    Path(f"{path}.lock").unlink(missing_ok=True)
    Path(f"{path}.lock").mkdir()  # nobody can open it, not even root
    replies = Replies(path)

    async def ask(key: str) -> dict[str, object] | None:
        async with replies.claimed(key) as reply:
            return reply

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a complete cache is nothing to warn of
        assert replies.find([key]) == {key: REPLY} == {key: asyncio.run(ask(key))}
        assert asyncio.run(ask("lacking")) is None
        assert [name for name, _ in replies.entries()] == [key]
    with pytest.warns(UserWarning, match=r"cannot be written .* is asked for and not kept"):
        other = keep(replies, {**FIELDS, "repeat": 7}, REPLY)
    assert replies.unkept == 1 and replies.find([other]) == {}
    with pytest.raises(EnvironmentFault, match="cannot be written"):
        replies.clear()
    replies.close()


def test_another_kind_of_url_is_refused_without_showing_its_password() -> None:
    with pytest.raises(UsageError) as error:
        open_store("postgres://user:hunter22@host/db")
    assert "hunter22" not in str(error.value)


def test_no_redis_server_is_a_clear_error() -> None:
    with pytest.raises(EnvironmentFault) as error:
        open_store("redis://:hunter22@127.0.0.1:1/0")
    assert "127.0.0.1:1" in str(error.value) and "hunter22" not in str(error.value)


def test_a_store_that_breaks_later_costs_a_warning_not_the_run(tmp_path: Path) -> None:
    replies = Replies(tmp_path / "r.sqlite")
    key = keep(replies, FIELDS, REPLY)
    replies.store.close()
    with pytest.warns(UserWarning, match="going on without it"):
        assert asyncio.run(replies.afind([key])) == {}
    keep(replies, FIELDS, REPLY)  # and says so once


def test_another_reader_of_the_same_process_leaves_the_locks_of_the_first(tmp_path: Path) -> None:
    place, log = tmp_path / "r.sqlite", tmp_path / "r.sqlite-wal"
    first = open_store(place)
    first.set({(("n",), "before"): ({"n": 1}, None)})
    open_store(place).close()
    number = log.stat().st_ino
    # A process that believes itself the last one moves the log into the file and deletes it.
    script = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); "
        "c.execute(\"INSERT INTO cache VALUES ('n', 'other', NULL, 'json', '{}')\"); c.close()"
    )
    subprocess.run([sys.executable, "-c", script, place], check=True)
    assert log.exists() and log.stat().st_ino == number
    first.set({(("n",), "after"): ({"n": 2}, None)})
    first.close()
    with closing(sqlite3.connect(place)) as file:
        kept = file.execute("SELECT key FROM cache ORDER BY key").fetchall()
        assert kept == [("after",), ("before",), ("other",)]
        assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_many_may_open_a_new_file_at_once(tmp_path: Path) -> None:
    for attempt in range(5):
        path = tmp_path / f"{attempt}.sqlite"
        with ThreadPoolExecutor(16) as pool:
            stores = list(pool.map(lambda _: open_store(path), range(16)))  # noqa: B023
        for store in stores:
            store.close()


def test_threads_share_a_store(store: Store) -> None:
    replies = Replies(store)

    def work(number: int) -> bool:
        fields = {**FIELDS, "repeat": number}
        key = keep(replies, fields, {"answer": number})
        return replies.find([key]) == {key: {"answer": number}}

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(200)))


def test_a_cassette_carries_replies_to_another_store(store: Store, tmp_path: Path) -> None:
    replies = Replies(store)
    key = keep(replies, FIELDS, REPLY)
    keep(replies, {**FIELDS, "step": "other"}, REPLY)
    cassette = tmp_path / "c.jsonl"
    assert export_cassette(replies, cassette, step="s") == 1
    away = Replies(tmp_path / "away.sqlite", "replay")
    assert import_cassette(away, cassette) == (1, 0)
    assert away.find([key]) == {key: REPLY}


def test_exporting_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    replies = Replies(tmp_path / "r.sqlite")
    for number in range(20):
        keep(replies, {**FIELDS, "repeat": number}, REPLY)
    export_cassette(replies, tmp_path / "a.jsonl")
    export_cassette(replies, tmp_path / "b.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 3: not JSON"),
        ("[]", "line 3: not a JSON object"),
        ('{"key": "k", "reply": {}}', "line 3: the fields or the reply"),
        ('{"key": "k", "fields": {"a": 1}, "reply": {}}', "line 3: the key does not match"),
    ],
)
def test_a_damaged_cassette_names_the_line_and_keeps_nothing(
    tmp_path: Path, line: str, message: str
) -> None:
    replies = Replies(tmp_path / "r.sqlite")
    key = keep(replies, FIELDS, REPLY)
    cassette = tmp_path / "c.jsonl"
    export_cassette(replies, cassette)
    cassette.write_text(cassette.read_text() + line + "\n")
    away = Replies(tmp_path / "away.sqlite")
    with pytest.raises(InputError, match=message):
        import_cassette(away, cassette)
    assert away.find([key]) == {}


def test_a_file_that_is_no_cassette_is_refused(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text('{"a": 1}\n')
    with pytest.raises(InputError, match="not a cassette"):
        import_cassette(Replies(tmp_path / "r.sqlite"), tmp_path / "c.jsonl")


def test_an_export_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    replies = Replies(tmp_path / "r.sqlite")
    keep(replies, FIELDS, REPLY)
    with pytest.raises(OutputError):
        export_cassette(replies, tmp_path / "no" / "c.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(OutputError):
        export_cassette(replies, tmp_path / "folder.jsonl")
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".")]


def test_a_look_up_uses_the_index(tmp_path: Path) -> None:
    """A plan without it is as slow as the cache is large: 160 look-ups a second at 500,000."""
    store = SqliteStore(tmp_path / "r.sqlite")
    store.set({(("reply",), str(number)): ({"answer": number}, None) for number in range(1000)})
    store.close()
    with sqlite3.connect(tmp_path / "r.sqlite") as connection:
        plan = connection.execute(
            f"EXPLAIN QUERY PLAN {select_keys(3)}", ("reply", "1", "2", "3")
        ).fetchall()
    assert [line[3].split(" (")[0] for line in plan] == ["SEARCH cache USING INDEX " + INDEX]
    assert "key=?" in plan[0][3]


def test_a_look_up_does_not_block_the_event_loop(tmp_path: Path) -> None:
    """The loop goes on while somebody else reads, however long that takes."""
    store = SqliteStore(tmp_path / "r.sqlite")

    async def work() -> bool:
        with store._reading:
            look_up = asyncio.create_task(Replies(store).afind(["k"]))
            await asyncio.sleep(0.05)  # would never return if the look-up waited in the loop
            waiting = not look_up.done()
        return waiting and await look_up == {}

    assert asyncio.run(work())
    store.close()


def test_a_locked_file_is_waited_for_once_and_then_gone_without(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "r.sqlite", patience=0.2)
    replies = Replies(store)
    lock = sqlite3.connect(tmp_path / "r.sqlite", isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    with pytest.warns(UserWarning, match="locked.*going on without it") as said:
        for number in range(20):
            keep(replies, {**FIELDS, "repeat": number}, REPLY)
    assert len(said) == 1 and replies.unkept == 20
    lock.execute("ROLLBACK")
    key = keep(replies, FIELDS, REPLY)  # once it is free, replies are kept again
    assert replies.find([key]) == {key: REPLY} and replies.unkept == 20
    replies.close()
    lock.close()


KEY = (("reply",), "k")


def test_only_one_claims_a_reply_and_the_others_get_it(store: Store) -> None:
    async def work() -> list[Any]:
        first = await store.aclaim(KEY, "here/1/a", 30)
        second = await store.aclaim(KEY, "there/1/b", 30)
        await store.aset({KEY: ({"reply": REPLY}, None)})
        await store.arelease(KEY, "here/1/a")
        return [first, second, await store.aclaim(KEY, "there/1/b", 30)]

    assert asyncio.run(work()) == [True, False, {"reply": REPLY}]


def test_the_claim_of_a_dead_process_runs_out(store: Store) -> None:
    async def work() -> list[Any]:
        await store.aclaim(KEY, "there/1/a", 0.2)
        answers = [await store.aclaim(KEY, "other/1/b", 30)]
        await asyncio.sleep(0.3)
        return [*answers, await store.aclaim(KEY, "other/1/b", 30)]

    assert asyncio.run(work()) == [False, True]


def test_a_claim_that_is_renewed_does_not_run_out(store: Store) -> None:
    async def work() -> list[Any]:
        claims = Claims(store, 0.3)
        assert await claims.take(KEY) is None
        await asyncio.sleep(0.7)
        answers = [await store.aclaim(KEY, "other/1/b", 30)]
        await claims.release(KEY)
        await store.aset({})  # the release is written with the next transaction
        return [*answers, await store.aclaim(KEY, "other/1/b", 30)]

    assert asyncio.run(work()) == [False, True]


def test_the_claim_of_a_process_that_died_on_this_host_is_free_at_once(store: Store) -> None:
    script = (
        "import asyncio, sys; from dxjudge.cache.open import open_store; "
        "from dxjudge.cache.owner import own_name; store = open_store(sys.argv[1]); "
        "print(asyncio.run(store.aclaim((('reply',), 'k'), own_name(), 1000)))"
    )
    place = store.place
    found = subprocess.run([sys.executable, "-c", script, place], capture_output=True, text=True)
    assert found.stdout == "True\n", found.stderr
    assert asyncio.run(store.aclaim(KEY, own_name(), 30)) is True


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the state is read from /proc")
def test_the_claim_of_a_killed_process_is_free_before_its_parent_takes_note(store: Store) -> None:
    script = (
        "import asyncio, sys, time; from dxjudge.cache.open import open_store; "
        "from dxjudge.cache.owner import own_name; store = open_store(sys.argv[1]); "
        "print(asyncio.run(store.aclaim((('reply',), 'k'), own_name(), 1000)), flush=True); "
        "time.sleep(1000)"
    )
    command = [sys.executable, "-c", script, store.place]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "True\n"
        assert asyncio.run(store.aclaim(KEY, own_name(), 30)) is False
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # dead, and not yet reaped
        assert asyncio.run(store.aclaim(KEY, own_name(), 30)) is True


def test_clear_forgets_claims(store: Store) -> None:
    async def work() -> list[Any]:
        await store.aclaim(KEY, "here/1/a", 30)
        store.clear()
        return [await store.aclaim(KEY, "there/1/b", 30)]

    assert asyncio.run(work()) == [True]
