import { count, interval, percent, plural } from "./words";

interface Part {
  texts: number;
  rows: number;
}

export interface Sample {
  number: string;
  lowest: number;
  texts: number;
  rows: number;
  drawn: number;
  seen: number;
  right: number;
  rows_right: [number, number, number] | null;
  texts_right: [number, number, number] | null;
  accepted_texts: number;
  accepted_rows: number;
}

export interface HowFar {
  open: Part;
  reviewed: Part;
  accepted: Part;
  uncounted: number;
  samples: Sample[];
  steps: { lowest: number; texts: number; rows: number; expected: number | null }[];
  unseen: {
    share: number;
    low: number;
    high: number;
    rows: number;
    texts: number;
    seen: number;
    right: number;
    samples: number;
  } | null;
}

/** How much of the rows is done, and how right what nobody saw is. */
export function Progress({ far, blind }: { far: HowFar; blind: boolean }) {
  const rows = far.open.rows + far.reviewed.rows + far.accepted.rows;
  const texts = far.open.texts + far.reviewed.texts + far.accepted.texts;
  const share = (part: number) => (rows ? part / rows : 0);
  const { unseen } = far;
  return (
    <section class="progress" aria-label="Progress">
      <div class="bar" aria-hidden="true">
        <span class="is-reviewed" style={{ width: `${100 * share(far.reviewed.rows)}%` }} />
        <span class="is-accepted" style={{ width: `${100 * share(far.accepted.rows)}%` }} />
      </div>
      <p data-testid="progress">
        <strong>{percent(share(far.reviewed.rows + far.accepted.rows))}</strong> of {plural(rows, "row")} done{blind ? " by you" : ""}:{" "}
        {blind ? "" : `${percent(share(far.reviewed.rows))} reviewed (`}
        {count(far.reviewed.texts)} of {plural(texts, "text")}
        {blind
          ? "."
          : `), ${percent(share(far.accepted.rows))} accepted unseen (${plural(far.accepted.texts, "text")}).`}
        {far.uncounted ? ` ${plural(far.uncounted, "text")} nobody counted; each stands for one row.` : ""}
      </p>
      {unseen ? (
        <p data-testid="unseen">
          Of the rows accepted unseen, <strong>{percent(unseen.share)}</strong> are estimated to be right (95 %
          interval {interval(unseen.low, unseen.high)}), from {unseen.right} right of {unseen.seen} texts that were
          drawn at random and looked at
          {unseen.samples > 1 ? ` in ${unseen.samples} samples, whose limits are averaged by rows` : ""}.
        </p>
      ) : null}
    </section>
  );
}
