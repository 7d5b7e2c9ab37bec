import { useEffect, useState } from "preact/hooks";
import { get, query } from "../common/api";
import { Failure } from "../common/Failure";
import { GoOn } from "../common/GoOn";
import type { Job } from "../common/job";
import { useUrl } from "../common/useUrl";
import { Desk } from "./Desk";
import type { Overview } from "./types";

/** The pages of `dxjudge rate`: first a name, then one item after the other. */
export function Rate({ job }: { job: Job }) {
  const [url, setUrl] = useUrl();
  const [overview, setOverview] = useState<Overview>();
  const [fault, setFault] = useState<unknown>();
  const name = url["rater"];
  useEffect(() => {
    setFault(undefined);
    get<Overview>(`rating${query({ name })}`).then(setOverview, setFault);
  }, [name]);
  return (
    <main class="rate">
      <h1>{job.title}</h1>
      {fault !== undefined && <Failure fault={fault} />}
      {overview && (!overview.rater || fault !== undefined) && (
        <NameForm
          count={overview.statuses.length}
          raters={overview.raters}
          onName={(rater) => setUrl({ rater })}
        />
      )}
      {overview?.rater && fault === undefined && (
        <Desk
          key={overview.rater}
          overview={overview}
          place={Number(url["item"] ?? "0") - 1}
          onPlace={(place) => setUrl({ rater: overview.rater, item: String(place + 1) })}
        />
      )}
    </main>
  );
}

function NameForm(props: { count: number; raters: string[]; onName: (name: string) => void }) {
  const { count, raters, onName } = props;
  const [name, setName] = useState("");
  return (
    <form
      class="rate-name"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim()) onName(name.trim());
      }}
    >
      <p>
        {count} {count === 1 ? "item waits" : "items wait"} for your verdict. You see neither who
        wrote what you read nor who judged it. Every answer is saved at once, so you can stop and go
        on at any time.
      </p>
      <label>
        <span class="rate-title">Your name, as it will stand beside your verdicts</span>
        <input
          autoFocus
          maxLength={80}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary" disabled={!name.trim()}>
        Begin
      </button>
      <GoOn names={raters} onName={onName} />
    </form>
  );
}
