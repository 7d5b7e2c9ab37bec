import { useState } from "preact/hooks";
import { Failure } from "../common/Failure";
import type { Job } from "../common/job";
import { useUrl } from "../common/useUrl";
import { Words } from "../common/Words";
import { Cases } from "./Cases";
import { Compare } from "./Compare";
import { Going } from "./Going";
import { Judges } from "./Judges";
import { Overview } from "./Overview";
import type { RunLine } from "./runs";
import { useData } from "./source";

const tabs = { overview: "Overview", cases: "Cases", judges: "Judges", compare: "Compare" };
const pages = { overview: Overview, cases: Cases, judges: Judges, compare: Compare };
type Tab = keyof typeof tabs;

/** The pages of one or several runs; the address names the page and the run. */
export function View({ job }: { job: Job }) {
  const [url] = useUrl();
  const [looked, setLooked] = useState(0);
  const { value: runs, fault } = useData<RunLine[]>(looked ? `runs?looked=${looked}` : "runs");
  const run = runs?.[Number(url.run ?? 0)] ?? runs?.[0];
  const shown = tabsOf(runs?.length ?? 0);
  const tab = shown.find((name) => name === url.tab) ?? "overview";
  const Page = pages[tab];
  return (
    <>
      <header class="view-head">
        <h1>
          <Words>{job.title}</Words>
        </h1>
        {run && <Tabs shown={shown} tab={tab} run={run} />}
        {run && runs && runs.length > 1 && tab !== "compare" && <Runs runs={runs} run={run} />}
      </header>
      <main>
        {fault ? <Failure fault={fault} /> : null}
        {runs && !run && <Failure fault={"No run is open."} />}
        {run && run.state !== "finished" && (
          <Going key={run.place} run={run} onChange={() => setLooked((last) => last + 1)} />
        )}
        {run && runs && run.state === "finished" && <Page key={run.place} run={run} runs={runs} />}
      </main>
    </>
  );
}

function tabsOf(runs: number): Tab[] {
  const names = Object.keys(tabs) as Tab[];
  return names.filter((tab) => tab !== "compare" || runs > 1);
}

function Tabs({ shown, tab, run }: { shown: Tab[]; tab: Tab; run: RunLine }) {
  return (
    <nav aria-label="Pages">
      {shown.map((name) => (
        <a
          key={name}
          href={`#tab=${name}&run=${run.place}`}
          aria-current={name === tab ? "page" : undefined}
        >
          {tabs[name]}
        </a>
      ))}
    </nav>
  );
}

function Runs({ runs, run }: { runs: RunLine[]; run: RunLine }) {
  const [, go] = useUrl();
  return (
    <label class="view-run">
      Run{" "}
      <select value={run.place} onChange={(event) => go({ run: event.currentTarget.value, case: "" })}>
        {runs.map((one) => (
          <option key={one.place} value={one.place}>
            {one.name}
          </option>
        ))}
      </select>
    </label>
  );
}
