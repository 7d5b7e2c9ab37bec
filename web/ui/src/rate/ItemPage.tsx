import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { FIELDS } from "../common/useKeys";
import { Words } from "../common/Words";
import {
  type Asked,
  NONE_KEY,
  chosen,
  firstOpen,
  flat,
  keysOf,
  listAt,
  sameAnswer,
  valueAt,
  withValue,
} from "./answer";
import { Form } from "./Form";
import { MarkedBar, type Target, targetsOf } from "./MarkedBar";
import { Material } from "./Material";
import type { Answer, Item, Marked, Path, Status } from "./types";

interface ItemProps {
  item: Item;
  count: number;
  problems: string[];
  mayUndo: boolean;
  onGive: (status: Status, answer: Answer, note: string) => void;
  onGo: (place: number) => void;
  onUndo: () => void;
}

/** One item: what is judged, and the questions about it. */
export function ItemPage({ item, count, problems, mayUndo, onGive, onGo, onUndo }: ItemProps) {
  const [answer, setAnswer] = useState(item.answer);
  const [note, setNote] = useState(item.note);
  // What the keys act on: a key may come before the last one is drawn.
  const now = useRef({ answer: item.answer, note: item.note, touched: undefined as Path | undefined });
  const [marked, setMarked] = useState<Marked | null>(null);
  // Where a quote was marked, as far as this page knows: the same words may stand in other texts.
  const sources = useRef(new Map<string, string>());
  const targets = useMemo(() => targetsOf(item.questions), [item.questions]);
  const fitting = targets.filter((one) => marked && one.sources.includes(marked.source));
  const waits = marked !== null && fitting.length > 0;
  const open = firstOpen(item.questions, answer);
  const asked = flat(item.questions, answer);
  const active = activeNow();
  const likely = fitting.find((one) => isBeside(one.path, active?.path)) ?? fitting[0];
  const activeAt = active?.path.join("/");
  const firstAt = useRef(activeAt);
  // What a key chooses next stands on the screen.
  useEffect(() => {
    if (activeAt === firstAt.current) return;
    firstAt.current = undefined;
    const question = document.querySelector(".rate-question.active");
    (question?.closest(".rate-group") ?? question)?.scrollIntoView({ block: "nearest" });
  }, [activeAt]);

  function activeNow(): Asked | undefined {
    const every = flat(item.questions, now.current.answer);
    const first = firstOpen(item.questions, now.current.answer)?.path ?? now.current.touched;
    return (
      every.find((one) => sameAnswer(one.path, first)) ??
      every.find((one) => one.question.options.length > 0)
    );
  }

  function change(next: Answer, at: Path) {
    now.current = { ...now.current, answer: next, touched: at };
    setAnswer(next);
  }

  function drop() {
    setMarked(null);
    getSelection()?.removeAllRanges();
  }

  function put(target: Target) {
    if (!marked) return;
    const { path, field, isList } = target;
    const added = field ? { [field]: marked.text } : marked.text;
    const before = now.current.answer;
    const value = isList ? [...listAt(before, path), added] : added;
    change(withValue(before, path, value), path);
    sources.current.set(marked.text, marked.source);
    drop();
    (document.activeElement as HTMLElement | null)?.blur();
  }

  function save() {
    const { answer: last, note: said } = now.current;
    if (!firstOpen(item.questions, last)) onGive("done", last, said);
  }

  useRatingKeys({
    active: activeNow,
    none: (at) => change(withValue(now.current.answer, at.path, []), at.path),
    choose: (at, place) => {
      const option = at.question.options[place];
      const before = now.current.answer;
      if (!option) return;
      const value = chosen(at.question, valueAt(before, at.path), option.value);
      change(withValue(before, at.path, value), at.path);
    },
    // Words that are marked wait for their place: to save without them would lose them.
    Enter: () => (marked && likely ? put(likely) : save()),
    Escape: drop,
    m: () => likely && put(likely),
    b: () => item.place > 0 && onGo(item.place - 1),
    s: () => onGive("skipped", {}, now.current.note),
    t: () => item.may_abstain && onGive("abstained", {}, now.current.note),
    u: () => mayUndo && onUndo(),
  });

  const quotes = asked.flatMap(({ question, path }) =>
    question.kind === "quote" || question.kind === "quotes"
      ? [valueAt(answer, path)].flat().filter((one) => typeof one === "string")
      : [],
  );
  return (
    <>
      <header class="rate-head">
        <p class="rate-task">
          <strong>
            Item {item.place + 1} of {count}.
          </strong>{" "}
          <Words>{item.task}</Words>
        </p>
        <details>
          <summary>The instructions, as judges get them</summary>
          <p class="rate-text">
            <Words>{item.rules}</Words>
          </p>
        </details>
      </header>
      <div class="rate-columns">
        <Material
          item={item}
          sources={targets.flatMap((target) => target.sources)}
          quotesOf={(name) => quotes.filter((quote) => (sources.current.get(quote) ?? name) === name)}
          onMark={setMarked}
        />
        <section class="rate-form" aria-label="Your verdict">
          <Form
            questions={item.questions}
            answer={answer}
            active={active}
            onChange={change}
          />
          <label class="rate-question">
            <span class="rate-title">
              Note <span class="quiet">(if you like)</span>
            </span>
            <textarea
              rows={1}
              value={note}
              onInput={(event) => {
                now.current = { ...now.current, note: event.currentTarget.value };
                setNote(event.currentTarget.value);
              }}
            />
          </label>
          {problems.length > 0 && (
            <ul class="failure" role="alert">
              {problems.map((problem) => (
                <li key={problem}>
                  <Words>{problem}</Words>
                </li>
              ))}
            </ul>
          )}
          <Buttons
            item={item}
            open={open?.titles.join(" › ") ?? (waits ? "the marked words" : "")}
            mayUndo={mayUndo}
            onSave={save}
            onGive={(status) => onGive(status, {}, note)}
            onBack={() => onGo(item.place - 1)}
            onUndo={onUndo}
          />
        </section>
      </div>
      {marked && likely && (
        <MarkedBar
          marked={marked}
          targets={fitting}
          likely={likely}
          onPut={put}
          onDrop={drop}
        />
      )}
    </>
  );
}

/** Whether two questions are of the same group. */
function isBeside(one: Path, other: Path | undefined): boolean {
  return one.length > 1 && sameAnswer(one.slice(0, -1), other?.slice(0, -1));
}

const said: Record<Status, string> = {
  done: "the one that is chosen here",
  abstained: "cannot tell",
  skipped: "skipped",
  withdrawn: "withdrawn",
};

interface ButtonsProps {
  item: Item;
  /** What still needs an answer, "" for nothing. */
  open: string;
  mayUndo: boolean;
  onSave: () => void;
  onGive: (status: Status) => void;
  onBack: () => void;
  onUndo: () => void;
}

function Buttons({ item, open, mayUndo, onSave, onGive, onBack, onUndo }: ButtonsProps) {
  return (
    <div class="rate-buttons">
      <button type="button" class="primary" disabled={open !== ""} onClick={onSave}>
        Save and next <kbd aria-hidden="true">Enter</kbd>
      </button>
      {item.may_abstain && (
        <button type="button" onClick={() => onGive("abstained")}>
          Cannot tell <kbd aria-hidden="true">t</kbd>
        </button>
      )}
      <button type="button" onClick={() => onGive("skipped")}>
        Skip <kbd aria-hidden="true">s</kbd>
      </button>
      <button type="button" disabled={item.place === 0} onClick={onBack}>
        Back <kbd aria-hidden="true">b</kbd>
      </button>
      <button type="button" disabled={!mayUndo} onClick={onUndo}>
        Undo <kbd aria-hidden="true">u</kbd>
      </button>
      {open && <p class="quiet">Still open: {open}</p>}
      {item.status && (
        <p class="quiet">
          Your answer so far: {said[item.status]}.
        </p>
      )}
    </div>
  );
}

interface RatingKeys {
  active: () => Asked | undefined;
  choose: (asked: Asked, place: number) => void;
  none: (asked: Asked) => void;
  Enter: () => void;
  Escape: () => void;
  m: () => void;
  b: () => void;
  s: () => void;
  t: () => void;
  u: () => void;
}

/** Digits and first letters choose, other letters act; in a field, Ctrl and Enter save. */
function useRatingKeys(keys: RatingKeys): void {
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.altKey || event.metaKey) return;
      const isField = target.matches(FIELDS);
      if (event.key === "Enter" && (event.ctrlKey || !isField)) {
        // Enter on a button or a summary is that button's, except on an option.
        const isOwn = target.closest("button, summary, a") && !target.closest("[aria-checked]");
        if (isOwn && !event.ctrlKey) return;
        event.preventDefault();
        keys.Enter();
        return;
      }
      if (isField || event.ctrlKey) return;
      if (event.key === "Escape") {
        keys.Escape();
        return;
      }
      const key = event.key.toLowerCase();
      const active = keys.active();
      const place = active ? keysOf(active.question).indexOf(key) : -1;
      const mayBeNone = active?.question.kind === "choices" && active.question.none;
      if (active && key && place >= 0) keys.choose(active, place);
      else if (active && key === NONE_KEY && mayBeNone) keys.none(active);
      else if (key in keys && key.length === 1) keys[key as "m" | "b" | "s" | "t" | "u"]();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [keys]);
}
