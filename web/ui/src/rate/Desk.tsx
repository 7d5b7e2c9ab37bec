import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { get, query, send } from "../common/api";
import { Failure } from "../common/Failure";
import { ItemPage } from "./ItemPage";
import type { Answer, Item, Kept, Overview, Status } from "./types";

interface DeskProps {
  overview: Overview;
  /** The item that the address names, from 0; -1 for the first without an answer. */
  place: number;
  onPlace: (place: number) => void;
}

/** A person's way through the items. */
export function Desk({ overview, place, onPlace }: DeskProps) {
  const { rater } = overview;
  const [statuses, setStatuses] = useState(overview.statuses);
  const [item, setItem] = useState<Item>();
  const [fault, setFault] = useState<unknown>();
  const [notice, setNotice] = useState("");
  const [problems, setProblems] = useState<string[]>([]);
  const [done, setDone] = useState<number[]>([]);
  const isBusy = useRef(false);
  const [atEnd, setAtEnd] = useState(!statuses.includes(null) && place < 0);
  const here = place >= 0 && place < statuses.length ? place : Math.max(0, statuses.indexOf(null));

  const load = useCallback(
    async (at: number) => {
      const path = `rating/items/${at}${query({ name: rater })}`;
      return get<Item>(path);
    },
    [rater],
  );
  useEffect(() => {
    if (atEnd || item?.place === here) return;
    load(here).then(
      (loaded) => {
        isBusy.current = false;
        setItem(loaded);
        setProblems([]);
        scrollTo(0, 0);
      },
      setFault,
    );
  }, [here, atEnd, item?.place, load]);

  function go(to: number) {
    setAtEnd(false);
    setNotice("");
    onPlace(to);
  }

  async function give(status: Status, answer: Answer, note: string) {
    // While the next item loads, a second key press must not answer the last one again.
    if (!item || isBusy.current) return;
    isBusy.current = true;
    setFault(undefined);
    const body = { place: item.place, rater, status, answer, note, seen: item.seen };
    try {
      const kept = await send<Kept>("rating/answers", body);
      setProblems(kept.problems);
      if (kept.problems.length) {
        isBusy.current = false;
        return;
      }
      const next = statuses.map((one, at) => (at === item.place ? status : one));
      setStatuses(next);
      setDone([...done, item.place]);
      const after = next.indexOf(null, item.place + 1);
      const open = after >= 0 ? after : next.indexOf(null);
      if (open < 0) {
        setAtEnd(true);
        setItem(undefined);
      } else go(open);
      if (open === here) isBusy.current = false;
      setNotice(
        kept.replaced
          ? `Item ${item.place + 1} had an answer from another window of yours (${kept.replaced}). ` +
              "The last answer counts: the one that you just gave."
          : "",
      );
    } catch (raised) {
      isBusy.current = false;
      setFault(raised);
    }
  }

  async function undo() {
    const last = done.at(-1);
    if (last === undefined) return;
    try {
      const before = await load(last);
      const body = { place: last, rater, status: "withdrawn", seen: before.seen };
      await send<Kept>("rating/answers", body);
      setStatuses(statuses.map((one, at) => (at === last ? null : one)));
      setDone(done.slice(0, -1));
      setItem({ ...before, status: null, seen: 0 });
      go(last);
      setNotice(`Your answer to item ${last + 1} is withdrawn.`);
    } catch (raised) {
      setFault(raised);
    }
  }

  return (
    <>
      <Progress rater={rater} statuses={statuses} />
      {notice && (
        <p class="rate-notice" role="status">
          {notice}
        </p>
      )}
      {fault !== undefined && <Failure fault={fault} />}
      {atEnd ? (
        <End statuses={statuses} onGo={go} />
      ) : (
        item && (
          <ItemPage
            key={`${item.place}/${item.seen}`}
            item={item}
            count={statuses.length}
            problems={problems}
            mayUndo={done.length > 0}
            onGive={give}
            onGo={go}
            onUndo={undo}
          />
        )
      )}
    </>
  );
}

function Progress({ rater, statuses }: { rater: string; statuses: (Status | null)[] }) {
  const count = (status: Status) => statuses.filter((one) => one === status).length;
  const answered = statuses.filter((one) => one !== null).length;
  return (
    <div class="rate-progress">
      <progress aria-label="Answered" max={statuses.length} value={answered} />
      <span>
        {answered} of {statuses.length} done by <bdi>{rater}</bdi>
        {count("abstained") > 0 && `, of these ${count("abstained")} cannot tell`}
        {count("skipped") > 0 && `, ${count("abstained") > 0 ? "" : "of these "}${count("skipped")} skipped`}
      </span>
    </div>
  );
}

function headline(skipped: number, every: number): string {
  if (skipped === every) return "Every item was skipped.";
  if (skipped) return `${every - skipped} of ${every} items have an answer. Thank you!`;
  return "Every item has an answer. Thank you!";
}

function End({ statuses, onGo }: { statuses: (Status | null)[]; onGo: (place: number) => void }) {
  const skipped = statuses.flatMap((one, place) => (one === "skipped" ? [place] : []));
  return (
    <section class="rate-end">
      <h2>{headline(skipped.length, statuses.length)}</h2>
      <p>
        All answers are saved. You can close this page. Whoever started it ends the command with Ctrl-C in its
        terminal, which says where the table of votes is.
      </p>
      {skipped.length > 0 && (
        <>
          <p>Skipped items have no verdict and count nowhere. Here you can still answer them:</p>
          <div class="rate-buttons">
            {skipped.slice(0, 200).map((place) => (
              <button key={place} type="button" onClick={() => onGo(place)}>
                Item {place + 1}
              </button>
            ))}
          </div>
        </>
      )}
      <button type="button" onClick={() => onGo(statuses.length - 1)}>
        Back to the last item
      </button>
    </section>
  );
}
