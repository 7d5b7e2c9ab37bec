import { useState } from "preact/hooks";
import { Failure } from "../common/Failure";
import { Words } from "../common/Words";
import type { Exchange, Part, Verdict } from "./case";
import { counted, shown } from "./names";
import { has } from "./packed";
import { useData } from "./source";

/** The verdicts on one model's responses, by step. */
export function Verdicts(props: { verdicts: Verdict[]; names: Map<string, string>; chosen: number }) {
  const steps = new Map<string, Verdict[]>();
  for (const one of props.verdicts) {
    const name = one.task + (one.place ? ` ${one.place + 1}` : "") + (one.response ? `, response ${one.response + 1}` : "");
    steps.set(name, [...(steps.get(name) ?? []), one]);
  }
  if (!props.verdicts.length) return <p class="quiet">No verdict.</p>;
  return (
    <>
      {[...steps].map(([name, verdicts]) => (
        <div key={name} class="step">
          <h4>
            <Words>{name}</Words>
          </h4>
          {verdicts.map((one) => (
            <OneVerdict key={one.row} one={one} names={props.names} chosen={one.row === props.chosen} />
          ))}
        </div>
      ))}
    </>
  );
}

function OneVerdict({ one, names, chosen }: { one: Verdict; names: Map<string, string>; chosen: boolean }) {
  const [open, setOpen] = useState(false);
  const tone = one.status === "failed" || one.right === "wrong" ? "bad" : one.right === "right" ? "good" : "";
  return (
    <div class={`verdict ${tone}${chosen ? " chosen" : ""}`} aria-current={chosen ? "true" : undefined}>
      <p>
        <strong>
          <Words>{names.get(one.judge) ?? one.judge}</Words>
        </strong>{" "}
        <Words>{one.said}</Words>{" "}
        {one.right !== "no right or wrong" && <span class={`chip ${tone}`}>{one.right}</span>}
        {one.repairs > 0 && <span class="chip doubt">{one.repairs} repaired</span>}
      </p>
      <Parts parts={one.parts} />
      {one.reason && (
        <p class="quiet">
          <Words>{one.reason}</Words>
        </p>
      )}
      {one.quotes.length > 0 && <Quotes quotes={one.quotes} />}
      {one.votes.map((vote) => (
        <p key={vote.judge} class="vote">
          <Words>{`${names.get(vote.judge) ?? vote.judge}: ${vote.said}`}</Words>
        </p>
      ))}
      {one.people.map((person) => (
        <div key={person.person} class="person">
          Person <Words>{person.person}</Words>: <Words>{person.said}</Words>
          <Parts parts={person.parts} />
        </div>
      ))}
      {has(exchangeOf(one.row)) && (
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>
            Prompt, reply and attempts{" "}
            <span class="quiet">
              {one.seconds !== null && `${shown(one.seconds, 2)} s`} {one.cost ? `$${shown(one.cost, 5)}` : ""}
            </span>
          </summary>
          {open && <Sent row={one.row} />}
        </details>
      )}
    </div>
  );
}

function Parts({ parts }: { parts: Part[] }) {
  return (
    <>
      {parts
        .filter((one) => one.words)
        .map((one) => (
          <p key={one.part} class="said">
            {one.part && (
              <span class="quiet">
                <Words>{one.part}</Words>:{" "}
              </span>
            )}
            <Words>{one.words}</Words>
          </p>
        ))}
    </>
  );
}

function Quotes({ quotes }: { quotes: Verdict["quotes"] }) {
  return (
    <ul class="quotes">
      {quotes.map((quote, at) => (
        <li key={at}>
          <q>
            <Words>{quote.text}</Words>
          </q>{" "}
          <span class="quiet">
            <Words>{quote.note}</Words>
            {quote.invented ? ", stands in no text" : quote.source && `, in the ${quote.source}`}
          </span>
        </li>
      ))}
    </ul>
  );
}

function exchangeOf(row: number): string {
  const run = Number(new URLSearchParams(location.hash.slice(1)).get("run") ?? 0);
  return `exchange?run=${run}&row=${row}`;
}

/** What was sent to the judge and what came back, as the run kept it. */
function Sent({ row }: { row: number }) {
  const { value, fault } = useData<Exchange>(exchangeOf(row));
  if (fault) return <Failure fault={fault} />;
  if (!value) return <p aria-busy="true">Loading …</p>;
  return (
    <div class="sent">
      {value.notes.map((note) => (
        <p key={note} class="quiet">
          {note}
        </p>
      ))}
      {value.system && <Text title="System message" text={value.system} />}
      {value.user && <Text title="Message" text={value.user} />}
      {value.images.length > 0 && (
        <p class="quiet">
          {counted.format(value.images.length)} images were sent; the run keeps their digests only:{" "}
          {value.images.join(", ")}
        </p>
      )}
      {value.attempts.map((one, at) => (
        <div key={at}>
          <h5>
            {one.turn ? `Repair ${one.turn}` : "Question"}, attempt {one.attempt}: {one.status}
            <span class="quiet">
              {" "}
              {one.at} {one.method} {one.seconds !== null && `${shown(one.seconds, 2)} s`}
            </span>
          </h5>
          {one.error && (
            <p class="failure">
              <Words>{one.error}</Words>
            </p>
          )}
          {one.text && <Text title="Reply" text={one.text} />}
        </div>
      ))}
      {!value.attempts.length && value.reply && <Text title="Reply, kept by an earlier run" text={value.reply} />}
    </div>
  );
}

function Text({ title, text }: { title: string; text: string }) {
  return (
    <figure>
      <figcaption class="quiet">{title}</figcaption>
      <pre class="words" tabIndex={0} aria-label={title}>
        <bdi>{text}</bdi>
      </pre>
    </figure>
  );
}
