import { useMemo, useState } from "preact/hooks";
import type { Sample, SampleVerdict } from "./shapes";

/** The cases inside a self-contained report, with a search over everything in them. */
export function Samples({ samples, cases, seed }: { samples: Sample[]; cases: number; seed: number }) {
  const [words, setWords] = useState("");
  const [model, setModel] = useState("");
  const [failed, setFailed] = useState(false);
  const texts = useMemo(() => samples.map((one) => JSON.stringify(one).toLowerCase()), [samples]);
  const wanted = JSON.stringify(words.toLowerCase()).slice(1, -1);
  const shown = samples.filter((one, at) => (texts[at] ?? "").includes(wanted) && (!failed || one.failed));
  const models = [...new Set(samples.flatMap((one) => one.responses.map((response) => response.model)))];
  return (
    <section aria-label="Cases">
      <h2 id="cases">Cases</h2>
      {samples.length < cases && (
        <p>
          {samples.length} of {cases} cases are shown, drawn at random with seed {seed}; every number is
          computed from all of them. dxjudge view shows all.
        </p>
      )}
      <div class="tools">
        <label>
          Search <input type="search" value={words} onInput={(event) => setWords(event.currentTarget.value)} />
        </label>
        <label>
          Model{" "}
          <select value={model} onChange={(event) => setModel(event.currentTarget.value)}>
            <option value="">all</option>
            {models.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          <input type="checkbox" checked={failed} onChange={(event) => setFailed(event.currentTarget.checked)} /> with
          a failed item
        </label>
        <span role="status">
          {shown.length} of {samples.length} cases
        </span>
      </div>
      {shown.map((one) => (
        <Case key={one.id} one={one} model={model} />
      ))}
    </section>
  );
}

/** Its content is made when it is opened, so that a page of many cases stands at once. */
function Case({ one, model }: { one: Sample; model: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="case" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <b>
          <bdi>{one.id}</bdi>
        </b>{" "}
        <bdi>{one.truth}</bdi> {one.failed && <span class="bad">has a failed item</span>}
      </summary>
      {open && <Inside one={one} model={model} />}
    </details>
  );
}

function Inside({ one, model }: { one: Sample; model: string }) {
  return (
    <>
      {one.groups && (
        <p class="quiet">
          <bdi>{one.groups}</bdi>
        </p>
      )}
      <Text title="Case" text={one.text} />
      <Text title="Reference" text={one.reference} />
      {one.responses
        .filter((response) => !model || response.model === model)
        .map((response) => (
          <details class="response" key={response.model} open>
            <summary>
              <bdi>{response.model}</bdi> {response.status === "failed" && <span class="bad">failed item</span>}
            </summary>
            <p class="words">
              {response.segments.length === 0 && <i>no text</i>}
              {response.segments.map((piece, at) =>
                piece.note ? (
                  <mark key={at}>
                    <bdi>{piece.text}</bdi>
                    <small>
                      {" "}
                      [<bdi>{piece.note}</bdi>]
                    </small>
                  </mark>
                ) : (
                  <bdi key={at}>{piece.text}</bdi>
                ),
              )}
            </p>
            <ul>
              {response.diagnoses.map(([kind, name, code], at) => (
                <li key={at}>
                  <span class="quiet">{kind}</span> <bdi>{name}</bdi>{" "}
                  <span class="quiet">
                    <bdi>{code}</bdi>
                  </span>
                </li>
              ))}
            </ul>
            {response.verdicts.map((verdict, at) => (
              <Verdict key={at} verdict={verdict} />
            ))}
          </details>
        ))}
    </>
  );
}

function Text({ title, text }: { title: string; text: string }) {
  if (!text) return null;
  return (
    <>
      <h3>{title}</h3>
      <p class="words">
        <bdi>{text}</bdi>
      </p>
    </>
  );
}

function Verdict({ verdict }: { verdict: SampleVerdict }) {
  const { attempts } = verdict;
  return (
    <div class="vote">
      <span class="quiet">
        {verdict.step} · <bdi>{verdict.judge}</bdi> · {verdict.decided_by}
      </span>
      <b class={verdict.status === "failed" ? "bad" : ""}>
        <bdi>{verdict.words || verdict.status}</bdi>
      </b>
      {verdict.words && verdict.status !== "done" && <span>{verdict.status}</span>}
      <p>
        <bdi>{verdict.why}</bdi>
      </p>
      {attempts.length > 0 && (
        <details>
          <summary>
            {attempts.length} attempt{attempts.length === 1 ? "" : "s"}
          </summary>
          <ol>
            {attempts.map((one, at) => (
              <li key={at}>
                {one.turn === 0 ? "first answer" : `repair ${one.turn}`}, {one.status}
                <pre>{one.text}</pre>
                {one.error && (
                  <p class="bad">
                    <bdi>{one.error}</bdi>
                  </p>
                )}
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}
