import { useState } from "preact/hooks";
import { Failure } from "../common/Failure";
import { send } from "../common/api";
import type { HowFar, Sample } from "./Progress";
import { count, interval, percent, plural } from "./words";

/** Accept all rows above a confidence, after a look at a random sample of them. */
export function Accept(props: { me: string; far: HowFar | undefined; onChanged: () => void }) {
  const { me, far, onChanged } = props;
  const [size, setSize] = useState("50");
  const [lowest, setLowest] = useState("0.9");
  const [fault, setFault] = useState<unknown>();
  const act = (path: string, body: object, then?: (value: Sample) => void) => {
    setFault(undefined);
    send<Sample>(path, { reviewer: me, ...body }).then((value) => {
      onChanged();
      then?.(value);
    }, setFault);
  };
  const draw = (from: number) =>
    act("review/sample", { lowest: from, size: Number(size) }, (sample) => {
      location.hash = `tab=review&state=all&order=file&sample=${sample.number}`;
    });
  if (!far) return <p class="quiet">Loading…</p>;
  return (
    <div class="accept">
      {fault ? <Failure fault={fault} /> : null}
      <h2>Draw a sample</h2>
      <p>
        Choose a confidence, look at every text of a random sample of the open rows above it, and then accept the
        others or not. Each text has the same chance to be drawn. Flagged rows are left out.
      </p>
      <p>
        <label>
          Texts to look at{" "}
          <input type="number" min={10} max={1000} value={size} onInput={(event) => setSize(event.currentTarget.value)} />
        </label>{" "}
        <label>
          Confidence from{" "}
          <input
            type="number"
            min={0}
            max={1}
            step={0.01}
            value={lowest}
            onInput={(event) => setLowest(event.currentTarget.value)}
          />
        </label>{" "}
        <button type="button" class="primary" onClick={() => draw(Number(lowest))}>
          Draw
        </button>
      </p>
      <div class="wide">
        <table role="table" class="stacks">
          <caption>Open rows by confidence</caption>
          <thead role="rowgroup">
            <tr role="row">
              <th role="columnheader" scope="col">From</th>
              <th role="columnheader" scope="col" class="number">Texts</th>
              <th role="columnheader" scope="col" class="number">Rows</th>
              <th role="columnheader" scope="col" class="number">Right by their confidences</th>
              <td role="cell" />
            </tr>
          </thead>
          <tbody role="rowgroup">
            {far.steps.map((step) => (
              <tr role="row" key={step.lowest}>
                <th role="rowheader" scope="row">{step.lowest.toFixed(2)}</th>
                <td role="cell" class="number" data-label="Texts">{count(step.texts)}</td>
                <td role="cell" class="number" data-label="Rows">{count(step.rows)}</td>
                <td role="cell" class="number" data-label="Right by their confidences">{step.expected === null ? "–" : percent(step.expected)}</td>
                <td role="cell">
                  <button type="button" disabled={!step.texts} onClick={() => draw(step.lowest)}>
                    Draw from {step.lowest.toFixed(2)}
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <h2>Samples</h2>
      {far.samples.length ? null : <p class="quiet">No sample was drawn yet.</p>}
      {[...far.samples].reverse().map((sample) => (
        <OneSample
          key={sample.number}
          sample={sample}
          onAccept={() => act("review/accept", { number: sample.number })}
          onWithdraw={() => act("review/withdraw", { number: sample.number })}
        />
      ))}
    </div>
  );
}

function OneSample(props: { sample: Sample; onAccept: () => void; onWithdraw: () => void }) {
  const { sample } = props;
  const left = sample.drawn - sample.seen;
  const others = sample.texts - sample.drawn;
  return (
    <section class="sample" aria-label={`Sample ${sample.number}`} data-testid={`sample-${sample.number}`}>
      <h3>
        Sample {sample.number}: confidence from {sample.lowest.toFixed(2)}
      </h3>
      <p>
        {plural(sample.drawn, "text")} drawn of {count(sample.texts)} ({plural(sample.rows, "row")}). Looked at:{" "}
        {sample.seen}, right: {sample.right}.
      </p>
      {sample.rows_right && sample.texts_right ? (
        <p>
          Estimated to be right: <strong>{percent(sample.rows_right[0])}</strong> of the rows (95 % interval{" "}
          {interval(sample.rows_right[1], sample.rows_right[2])}), {percent(sample.texts_right[0])} of the texts (
          {interval(sample.texts_right[1], sample.texts_right[2])}).
        </p>
      ) : null}
      <p class="acts">
        <a href={`#tab=review&state=all&order=file&sample=${sample.number}`}>Look at the sample</a>{" "}
        {sample.accepted_texts ? (
          <button type="button" onClick={props.onWithdraw}>
            Open the {plural(sample.accepted_texts, "text")} again
          </button>
        ) : (
          <button type="button" class="primary" disabled={left > 0 || others < 1} onClick={props.onAccept}>
            {left > 0 ? `${plural(left, "text")} left to look at` : "Accept the others"}
          </button>
        )}
      </p>
      {sample.accepted_texts ? (
        <p class="good">
          {plural(sample.accepted_texts, "text")} ({plural(sample.accepted_rows, "row")}) accepted unseen.
        </p>
      ) : null}
    </section>
  );
}
