import { useState } from "preact/hooks";
import { get, query } from "../common/api";
import { useLoaded } from "../common/useLoaded";
import { Words } from "../common/Words";
import type { CaseView, ModelView, Prediction, Segment } from "./case";
import { CaseTree } from "./CaseTree";
import { shortNames } from "./names";
import { has, offline } from "./packed";
import { load } from "./source";
import { Verdicts } from "./Verdicts";

interface BodyProps {
  value: CaseView;
  run: number;
  /** The row of the table of verdicts that led here. */
  chosen?: number;
}

/** Everything about a case: the same in `dxjudge view` and in a self-contained report. */
export function CaseBody({ value, run, chosen = -1 }: BodyProps) {
  const judges = value.models.flatMap((one) => one.verdicts.map((verdict) => verdict.judge));
  const names = shortNames([...new Set(judges)]);
  return (
    <>
      <About value={value} />
      <Images value={value} run={run} />
      {value.tree && <CaseTree tree={value.tree} />}
      {value.notes.map((note) => (
        <p key={note} class="quiet">
          {note}
        </p>
      ))}
      <h3 class="responses">Responses</h3>
      <div class="models" tabIndex={0} role="region" aria-label="Responses of all models">
        {value.models.map((model) => (
          <Column key={model.model} model={model} names={names} chosen={chosen} />
        ))}
      </div>
    </>
  );
}

function About({ value }: { value: CaseView }) {
  const groups = Object.entries(value.groups);
  return (
    <>
      {groups.length > 0 && (
        <p class="quiet">
          <Words>{groups.map(([name, values]) => `${name}: ${values.join(", ")}`).join(" · ")}</Words>
        </p>
      )}
      <div class="case-about">
        <section aria-label="Case">
          <h3>Case</h3>
          <Marked segments={value.text} />
          {value.question && (
            <p>
              <Words>{value.question}</Words>
            </p>
          )}
          <Options value={value} />
          {value.criteria.length > 0 && (
            <ul>
              {value.criteria.map((one) => (
                <li key={one}>
                  <Words>{one}</Words>
                </li>
              ))}
            </ul>
          )}
        </section>
        <section aria-label="Truth">
          <h3>Truth</h3>
          <Diagnoses list={value.truth} none="The case has no diagnosis." />
          {value.reference.length > 0 && (
            <>
              <h3>Reference</h3>
              <Marked segments={value.reference} />
            </>
          )}
        </section>
      </div>
    </>
  );
}

/** The images of a case, from this machine or this file; an address is shown and never asked. */
function Images({ value, run }: { value: CaseView; run: number }) {
  if (!value.images.length) return null;
  return (
    <section aria-label="Images" class="case-images">
      {value.images.map(({ name, is_address }, number) => (
        <figure key={number}>
          {is_address ? (
            <p class="quiet">An address, which this page does not load:</p>
          ) : (
            <Picture
              key={value.id}
              path={`image${query({ run, case: value.place, number: String(number) })}`}
              name={name}
            />
          )}
          <figcaption class="quiet">
            <Words>{name}</Words>
          </figcaption>
        </figure>
      ))}
    </section>
  );
}

function Picture({ path, name }: { path: string; name: string }) {
  const [fault, setFault] = useState("");
  const inside = useLoaded<string>(offline && has(path) ? path : null, load).value;
  const source = offline ? inside : `api/${path}`;
  const explain = () => get(path).catch((reason: unknown) => setFault(String((reason as Error).message)));
  if (!has(path)) return <p class="quiet">This report leaves this image out; dxjudge view shows it:</p>;
  if (fault) return <p class="failure">{fault}</p>;
  if (!source) return null;
  const image = <img src={source} alt={name} loading="lazy" onError={offline ? undefined : explain} />;
  return offline ? (
    image
  ) : (
    <a href={source} target="_blank">
      {image}
    </a>
  );
}

function Options({ value }: { value: CaseView }) {
  const options = Object.entries(value.options);
  if (!options.length) {
    return value.answer ? (
      <p>
        Answer: <Words>{value.answer}</Words>
      </p>
    ) : null;
  }
  return (
    <>
      <ul class="options">
        {options.map(([letter, text]) => (
          <li key={letter}>
            <Words>{`${letter}. ${text}`}</Words>
          </li>
        ))}
      </ul>
      <p>
        Right: <Words>{value.answer}</Words>
      </p>
    </>
  );
}

function Diagnoses({ list, none }: { list: Prediction[]; none: string }) {
  if (!list.length) return <p class="quiet">{none}</p>;
  // Under the heading "Truth" the word would stand before each of them.
  const kinds = { diagnosis: "diagnosis", truth: "", final: "final", ddx: "differential" } as Record<string, string>;
  return (
    <ul class="diagnoses">
      {list.map((one) => (
        <li key={`${one.kind} ${one.place}`}>
          {kinds[one.kind] !== "" && (
            <span class="quiet">
              {kinds[one.kind] ?? one.kind}
              {one.kind === "ddx" ? ` ${one.place}` : ""}{" "}
            </span>
          )}
          <Words>{one.text || (one.status === "failed" ? "failed" : "none")}</Words>{" "}
          {one.code ? (
            <code title={`${one.name} (code by ${one.coded_by})`}>{one.code}</code>
          ) : (
            <span class="quiet">no code</span>
          )}
          {one.name && (
            <span class="quiet">
              {" "}
              <Words>{one.name}</Words>
            </span>
          )}
          {one.reason && (
            <span class="quiet">
              : <Words>{one.reason}</Words>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** A text with the judges' quotes in it; what a quote is for shows as a tip and to screen readers. */
function Marked({ segments }: { segments: Segment[] }) {
  return (
    <p class="words">
      {segments.map((segment, at) =>
        segment.notes.length ? (
          <mark key={at} title={segment.notes.join("\n")}>
            <bdi>{segment.text}</bdi>
          </mark>
        ) : (
          <bdi key={at}>{segment.text}</bdi>
        ),
      )}
    </p>
  );
}

function Column({ model, names, chosen }: { model: ModelView; names: Map<string, string>; chosen: number }) {
  return (
    <section class="model" aria-label={model.model}>
      <h3>
        <Words>{model.model}</Words>
      </h3>
      {!model.responses.length && <p class="failure">No response to this case.</p>}
      {model.responses.map((response, at) => (
        <div key={at}>
          {(response.about || model.responses.length > 1) && (
            <h4>
              <Words>{response.about || `response ${at + 1}`}</Words>
            </h4>
          )}
          {response.text.length > 0 ? <Marked segments={response.text} /> : null}
          {response.answer && (
            <p>
              Answer: <Words>{response.answer}</Words>
            </p>
          )}
          {!response.text.length && !response.answer && <p class="quiet">The response has no text.</p>}
        </div>
      ))}
      <Diagnoses list={model.diagnoses} none="No diagnosis was read from it." />
      <Verdicts verdicts={model.verdicts} names={names} chosen={chosen} />
    </section>
  );
}
