import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { BigTable } from "../common/BigTable";
import { Failure } from "../common/Failure";
import { Refused, get, query, send } from "../common/api";
import { letGo, useKeys } from "../common/useKeys";
import type { UrlState } from "../common/useUrl";
import { Words } from "../common/Words";
import { columnsOf } from "./columns";
import { End } from "./End";
import { Filters, filtersOf } from "./Filters";
import { OneRow } from "./OneRow";
import { TREE, isInTree, optionsOf } from "./options";
import type { Brief, Candidates, Detail, Draft, Named, Place, Setup } from "./types";
import { useDetails } from "./useDetail";
import { useQueue } from "./useQueue";
import { count } from "./words";

const AHEAD = 3; // rows whose candidates are computed ahead
const RETRY = 500; // milliseconds until candidates that were not there are asked for again

interface Fault {
  id: string;
  text: string;
  words: string;
}

/** The queue beside the row: where rows are decided. */
export function Desk(props: {
  setup: Setup;
  me: string;
  url: UrlState;
  setUrl: (change: UrlState, replace?: boolean) => void;
  number: string;
  /** Texts that wait for a decision; undefined while nobody knows. */
  open: number | undefined;
  onSaved: () => void;
}) {
  const { setup, me, url, setUrl, number } = props;
  const filters = useMemo(() => filtersOf(url), [url]);
  const queue = useQueue(filters, me);
  const details = useDetails(me);
  const [place, setPlace] = useState(0);
  const [row, setRow] = useState<Detail>();
  const [draft, setDraft] = useState<Draft>();
  const [list, setList] = useState<{ id: string; candidates: Candidates }>();
  const [anchor, setAnchor] = useState("");
  const [found, setFound] = useState<Place>();
  const [at, setAt] = useState(-1);
  const [top, setTop] = useState(-1);
  const [seeksTree, setSeeksTree] = useState(false);
  const [adding, setAdding] = useState(false);
  const [faults, setFaults] = useState<Fault[]>([]);
  const [saving, setSaving] = useState(0);
  const drafts = useRef(new Map<string, Draft>());
  const columns = useMemo(() => columnsOf(drafts.current), []);
  const shownRow = useRef(""); // a key pressed before the next row is there does nothing

  const show = useCallback(
    (value: Detail) => {
      const known = drafts.current.get(value.id) ?? draftOf(value);
      shownRow.current = value.id;
      setRow(value);
      setDraft(known);
      setAnchor(known.code);
      setAt(-1);
      setTop(-1);
      setSeeksTree(false);
      setAdding(false);
    },
    [],
  );
  useEffect(() => setPlace(0), [filters]);
  useEffect(() => {
    let gone = false;
    const load = async () => {
      const brief = await queue.find(place);
      if (gone) return;
      if (!brief) {
        setRow(undefined);
        return;
      }
      const value = await details.row(brief.id);
      if (gone) return;
      show(value);
      for (let next = place + 1; next <= place + AHEAD; next++) {
        const one = await queue.find(next);
        if (gone) return;
        if (one) void Promise.allSettled([details.row(one.id), details.candidates(one.id)]);
      }
    };
    load().catch((fault: unknown) => {
      if (!gone) setFaults((last) => [...last, { id: "", text: "", words: wordsOf(fault) }]);
    });
    return () => {
      gone = true;
    };
  }, [place, queue.find, details, show]);

  const id = row?.id;
  useEffect(() => {
    if (!id) return;
    let gone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = () =>
      details.candidates(id).then(
        (value) => {
          if (gone) return;
          setList({ id, candidates: value });
          if (value.state === "loading") timer = setTimeout(ask, RETRY);
        },
        (fault: unknown) =>
          !gone &&
          setList({ id, candidates: { state: "failed", fault: wordsOf(fault), candidates: [] } }),
      );
    void ask();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [id, details]);
  useEffect(() => {
    if (!anchor) {
      setFound(undefined);
      return;
    }
    const abort = new AbortController();
    get<Place>(`review/place${query({ code: anchor })}`, abort.signal).then(setFound, () => {
      if (!abort.signal.aborted) setFound(undefined);
    });
    return () => abort.abort();
  }, [anchor]);

  // What others wrote: the list, and the row unless the reviewer has begun to change it.
  useEffect(() => {
    queue.renew();
    if (!row || drafts.current.has(row.id) || saving) return;
    let gone = false;
    details.row(row.id, true).then(
      (value) => {
        // Meanwhile the reviewer may have decided the row and gone on: then it stays away.
        if (!gone && shownRow.current === value.id && value.version !== row.version) show(value);
      },
      () => undefined,
    );
    return () => {
      gone = true;
    };
  }, [number]);

  // What belongs to the row before is not shown while the next loads.
  const candidates = list && list.id === id ? list.candidates : undefined;
  const tree = found?.code === anchor ? found : undefined;
  const change = (next: Draft) => {
    if (row) drafts.current.set(row.id, next);
    setDraft(next);
  };
  const options = useMemo(
    () => (row ? optionsOf(row, candidates, tree) : []),
    [row, candidates, tree],
  );
  // The tree stands below the candidates, and loads: it is brought to the eye when it is there.
  useEffect(() => {
    if (!seeksTree || !tree) return;
    const to = options.findIndex((one) => one.group === TREE);
    setAt(to);
    setTop(to);
    setSeeksTree(false);
  }, [seeksTree, tree, options]);
  const seekTree = (code: string) => {
    setAnchor(code);
    setTop(-1);
    setSeeksTree(true);
  };
  /** What was chosen last: a key may come before the one before it is drawn. */
  const draftNow = () => (row && drafts.current.get(row.id)) ?? draft;
  const reload = () => {
    queue.reload();
    setPlace(0);
  };
  const go = (to: number) => setPlace(Math.max(0, Math.min(queue.count, to)));
  const save = () => {
    const value = draftNow();
    if (!row || !value || shownRow.current !== row.id) return;
    shownRow.current = "";
    const { id, version, text } = row;
    const body = {
      id,
      version,
      reviewer: me,
      code: value.code,
      additional: value.code ? value.additional.map((one) => one.code) : [],
      note: value.note,
    };
    drafts.current.set(id, value);
    setSaving((last) => last + 1);
    setFaults((last) => last.filter((one) => one.id !== id));
    send<Detail>("review/decide", body)
      .then(
        () => {
          drafts.current.delete(id);
          details.forget(id);
          props.onSaved();
        },
        (fault: unknown) => {
          details.forget(id);
          setFaults((last) => [...last, { id, text, words: wordsOf(fault) }]);
        },
      )
      .finally(() => setSaving((last) => last - 1));
    go(place + 1);
  };
  const pick = (code: Named) => {
    const now = draftNow();
    if (!now) return;
    if (adding && now.code) {
      const rest = now.additional.filter((one) => one.code !== code.code);
      if (code.code && code.code !== now.code) change({ ...now, additional: [...rest, named(code)] });
    } else {
      // Beside no code there is no further one: it is the first.
      change({ ...now, code: code.code, name: code.name });
      setAnchor(code.code);
    }
    setAdding(false);
  };
  const move = (step: number) => {
    const next = Math.max(0, Math.min(options.length - 1, at + step));
    setAt(next);
    const option = options[next];
    const now = draftNow();
    if (option && now && !adding) change({ ...now, code: option.code, name: option.name });
  };
  const enter = () => {
    const option = options[at];
    if (adding && option) pick(option);
    else if (!adding) save();
  };
  const failed = (fault: unknown) =>
    setFaults((last) => [...last, { id: "", text: "", words: wordsOf(fault) }]);
  /** Show a row, and choose it in the list where the list has it. */
  const goTo = async (value: Detail) => {
    const to = await queue.placeOf(value.id);
    if (to !== null && to !== place) setPlace(to);
    else show(value);
  };
  const undo = () =>
    send<Detail>("review/undo", { reviewer: me }).then((value) => {
      drafts.current.delete(value.id);
      details.forget(value.id);
      props.onSaved();
      return goTo(value);
    }).catch(failed);
  // What the reviewer has chosen stays: a flag says nothing about the code.
  const flag = () =>
    row &&
    send<Detail>("review/flag", { id: row.id, reviewer: me, on: !row.flagged }).then((value) => {
      details.forget(value.id);
      if (shownRow.current === value.id) setRow(value);
      props.onSaved();
    }, failed);
  const lookAt = (fault: Fault) => {
    setFaults((last) => last.filter((one) => one !== fault));
    if (!fault.id) return;
    details.row(fault.id, true).then(goTo).catch(() => undefined);
  };
  const last = faults.at(-1);
  const focus = (name: string) => document.getElementById(name)?.focus();
  const acts = row && draft
    ? [
        { key: "Enter", shown: "Enter", words: draft.code ? "Save" : "Save: none fits", act: save, primary: true },
        { key: "n", shown: "n", words: "No code fits", act: () => change({ ...draft, code: "", name: "", additional: [] }) },
        { key: "a", shown: "a", words: "Add a code", act: () => setAdding(!adding) },
        { key: "/", shown: "/", words: "Search", act: () => focus("search") },
        { key: "t", shown: "t", words: "Tree around it", act: () => seekTree(draft.code || row.code) },
        { key: "m", shown: "m", words: "Note", act: () => focus("note") },
        { key: "f", shown: "f", words: row.flagged ? "Remove the flag" : "Flag", act: flag },
        { key: "u", shown: "u", words: "Undo", act: undo },
        { key: "k", shown: "k", words: "Back", act: () => go(place - 1) },
        { key: "j", shown: "j", words: "Skip", act: () => go(place + 1) },
      ]
    : [];
  const keys: Record<string, () => void> = {
    u: undo,
    k: () => go(place - 1),
    r: reload,
    w: () => focus("filter"),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    x: () => draft && change({ ...draft, additional: draft.additional.slice(0, -1) }),
    Escape: () => {
      setAdding(false);
      if (row && drafts.current.delete(row.id)) show(row);
    },
    ...(last ? { o: () => lookAt(last) } : {}),
    ...Object.fromEntries(acts.map((one) => [one.key, one.act])),
    Enter: enter,
  };
  for (const one of options) {
    if (one.digit) keys[one.digit] = () => { setAt(options.indexOf(one)); pick(one); };
  }
  useKeys(keys);

  return (
    <div class="desk">
      <section class="list" aria-label="The queue">
        <Filters url={url} blind={setup.blind} carried={setup.carried} onChange={setUrl} />
        {queue.fault ? <Failure fault={queue.fault} /> : null}
        <p class="quiet" role="status">
          {queue.loading ? "Loading…" : `${count(Math.min(place + 1, queue.count))} of ${count(queue.count)}`}{" "}
          <button type="button" onClick={(event) => { letGo(event); reload(); }}>
            Load the list again <kbd>r</kbd>
          </button>
        </p>
        <BigTable<Brief>
          label="Rows of the queue"
          columns={columns}
          count={queue.count}
          rowAt={queue.rowAt}
          onShown={queue.onShown}
          chosen={place}
          onOpen={(_, to) => go(to)}
        />
      </section>
      <section aria-label="Deciding">
        {faults.map((one, number) => (
          <div class="failure" role="alert" key={number}>
            {one.id ? <>Not saved: <Words>{one.text}</Words>. </> : null}
            {one.words}{" "}
            <button type="button" onClick={() => lookAt(one)}>
              {one.id ? "Look at it" : "Close"} {one === last ? <kbd>o</kbd> : null}
            </button>
          </div>
        ))}
        <p class="quiet saving" role="status">{saving ? "Saving…" : ""}</p>
        {row && draft ? (
          <OneRow
            row={row}
            draft={draft}
            options={options}
            at={at}
            top={top}
            place={tree}
            candidates={candidates}
            adding={adding}
            blind={setup.blind}
            onPick={(option, to) => {
              setAt(to);
              pick(option);
              if (isInTree(option) && !adding) seekTree(option.code);
            }}
            onFound={pick}
            onNote={(note) => change({ ...draft, note })}
            onRemove={(code) =>
              change({ ...draft, additional: draft.additional.filter((one) => one.code !== code) })
            }
            acts={acts}
          />
        ) : queue.loading ? null : (
          <End count={queue.count} open={props.open} blind={setup.blind} sample={url.sample ?? ""} />
        )}
      </section>
    </div>
  );
}

function draftOf(row: Detail): Draft {
  return { code: row.code, name: row.name, additional: row.additional, note: row.note };
}

function named({ code, name }: Named): Named {
  return { code, name };
}

function wordsOf(fault: unknown): string {
  return fault instanceof Refused || fault instanceof Error ? fault.message : String(fault);
}
