import { useEffect, useState } from "preact/hooks";
import { Failure } from "../common/Failure";
import { Words } from "../common/Words";
import { counted } from "./names";
import type { RunLine } from "./runs";
import { load } from "./source";

interface Progress {
  state: RunLine["state"];
  going: {
    progress: { started: number; at: number; stages: { name: string; done: number; total: number }[] } | null;
    attempts: Record<string, number>;
    faults: { at: string; step: string; judge: string; status: string; error: string; text: string }[];
  };
}

const EVERY = 1500; // milliseconds

/** A run that has not written its tables yet; asks again until it has. */
export function Going({ run, onChange }: { run: RunLine; onChange: () => void }) {
  const [value, setValue] = useState<Progress>();
  const [fault, setFault] = useState<unknown>();
  useEffect(() => {
    let timer = 0;
    const abort = new AbortController();
    const ask = () =>
      load<Progress>(`progress?run=${run.place}`, abort.signal).then(
        (next) => {
          setValue(next);
          setFault(undefined);
          if (next.state === "finished") onChange();
          else timer = window.setTimeout(ask, EVERY);
        },
        (reason: unknown) => {
          if (abort.signal.aborted) return;
          setFault(reason);
          timer = window.setTimeout(ask, EVERY);
        },
      );
    void ask();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [run.place]);
  return (
    <section aria-label="Progress">
      {fault ? <Failure fault={fault} /> : null}
      {value && <State value={value} />}
      {value && <Faults faults={value.going.faults} />}
    </section>
  );
}

function State({ value: { state, going } }: { value: Progress }) {
  const stages = going.progress?.stages ?? [];
  const attempts = Object.entries(going.attempts);
  return (
    <>
      <p role="status">
        {state === "running"
          ? "This run is still going. Its numbers show here as soon as they are written."
          : "This run has stopped before everything was written. The same dxjudge evaluate command goes on with it."}
      </p>
      {stages.map((stage) => (
        <label key={stage.name} class="stage">
          <span>
            <Words>{stage.name}</Words>
          </span>
          <progress value={stage.done} max={stage.total} />
          <span class="number">
            {counted.format(stage.done)} of {counted.format(stage.total)}
          </span>
        </label>
      ))}
      {attempts.length > 0 && (
        <p>
          Answers: {attempts.map(([status, count]) => `${counted.format(count)} ${status}`).join(", ")}.
        </p>
      )}
    </>
  );
}

function Faults({ faults }: { faults: Progress["going"]["faults"] }) {
  if (!faults.length) return <p class="quiet">No answer had a fault so far.</p>;
  return (
    <>
      <h2>The latest answers with a fault</h2>
      <ul class="faults">
        {faults.map((one) => (
          <li key={`${one.at} ${one.judge} ${one.error}`}>
            <strong>{one.status}</strong> <Words>{`${one.step}, ${one.judge}`}</Words>
            <p class="failure">
              <Words>{one.error}</Words>
            </p>
            {one.text && (
              <p class="quiet">
                <Words>{one.text}</Words>
              </p>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
