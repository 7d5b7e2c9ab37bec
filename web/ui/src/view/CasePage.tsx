import { useEffect, useMemo, useState } from "preact/hooks";
import { get, query } from "../common/api";
import { Failure } from "../common/Failure";
import { useKeys } from "../common/useKeys";
import { useUrl } from "../common/useUrl";
import { Words } from "../common/Words";
import type { CaseView, ModelView, Prediction, Segment } from "./case";
import { CaseTree } from "./CaseTree";
import { link, serverQuery } from "./filters";
import { counted, shortNames } from "./names";
import { useData } from "./source";
import { Verdicts } from "./Verdicts";

/** One case with everything that the run knows of it. */
export function CasePage({ run, id }: { run: number; id: string }) {
  const [url, go] = useUrl();
  const { value, fault } = useData<CaseView>(`case${serverQuery({ ...url, metric: "" }, run, { id })}`);
  const current = value?.id === id ? value : undefined;
  useEffect(() => scrollTo(0, 0), [id]);
  const back = link(url, { case: "", row: "" });
  const keys = useMemo(
    () => ({
      j: () => current?.after && go({ case: current.after, row: "" }),
      k: () => current?.before && go({ case: current.before, row: "" }),
      u: () => go({ case: "", row: "" }),
    }),
    [current, go],
  );
  useKeys(keys);
  const names = useMemo(
    () => shortNames([...new Set((value?.models ?? []).flatMap((one) => one.verdicts.map((v) => v.judge)))]),
    [value],
  );
  if (fault) return <Failure fault={fault} />;
  if (!value) return <p aria-busy="true">Loading …</p>;
  return (
    <article class="one-case" aria-label={`Case ${value.id}`}>
      <nav class="case-nav" aria-label="Cases">
        <a href={back}>
          Back to the table <kbd>u</kbd>
        </a>
        <button type="button" disabled={!value.before} onClick={keys.k}>
          Previous <kbd>k</kbd>
        </button>
        <button type="button" disabled={!value.after} onClick={keys.j}>
          Next <kbd>j</kbd>
        </button>
        <span class="quiet">
          {value.at
            ? `case ${counted.format(value.at)} of ${counted.format(value.of)}`
            : `not among the ${counted.format(value.of)} cases that the filters leave`}
        </span>
      </nav>
      <h2>
        <Words>{value.id}</Words>
      </h2>
      <About value={value} />
      <Images value={value} run={run} />
      {value.tree && <CaseTree tree={value.tree} />}
      {value.notes.map((note) => (
        <p key={note} class="quiet">
          {note}
        </p>
      ))}
      <h2>Responses</h2>
      <div class="models" tabIndex={0} role="region" aria-label="Responses of all models">
        {value.models.map((model) => (
          <Column key={model.model} model={model} names={names} chosen={Number(url.row ?? -1)} />
        ))}
      </div>
    </article>
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

/** The images of a case, from this machine; an address is shown and never asked. */
function Images({ value, run }: { value: CaseView; run: number }) {
  if (!value.images.length) return null;
  return (
    <section aria-label="Images" class="case-images">
      {value.images.map(({ name, is_address }, number) => (
        <figure key={number}>
          {is_address ? (
            <p class="quiet">An address, which this page does not load:</p>
          ) : (
            <Picture key={value.id} source={`image${query({ run, id: value.id, number: String(number) })}`} name={name} />
          )}
          <figcaption class="quiet">
            <Words>{name}</Words>
          </figcaption>
        </figure>
      ))}
    </section>
  );
}

function Picture({ source, name }: { source: string; name: string }) {
  const [fault, setFault] = useState("");
  const explain = () => get(source).catch((reason: unknown) => setFault(String((reason as Error).message)));
  if (fault) return <p class="failure">{fault}</p>;
  return (
    <a href={`api/${source}`} target="_blank">
      <img src={`api/${source}`} alt={name} loading="lazy" onError={explain} />
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
  const kinds = { diagnosis: "diagnosis", truth: "truth", final: "final", ddx: "differential" } as Record<string, string>;
  return (
    <ul class="diagnoses">
      {list.map((one) => (
        <li key={`${one.kind} ${one.place}`}>
          <span class="quiet">
            {kinds[one.kind] ?? one.kind}
            {one.kind === "ddx" ? ` ${one.place}` : ""}
          </span>{" "}
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
