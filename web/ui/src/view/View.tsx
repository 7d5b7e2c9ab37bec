import { Failure } from "../common/Failure";
import type { Job } from "../common/job";
import { useUrl } from "../common/useUrl";
import { Words } from "../common/Words";
import { Cases } from "./Cases";
import { Compare } from "./Compare";
import { Judges } from "./Judges";
import { Overview } from "./Overview";
import type { RunLine } from "./runs";
import { has, useData } from "./source";

const tabs = { overview: "Overview", cases: "Cases", judges: "Judges", compare: "Compare" };
const pages = { overview: Overview, cases: Cases, judges: Judges, compare: Compare };
type Tab = keyof typeof tabs;

/** The pages of one or several runs; the address names the page and the run. */
export function View({ job }: { job: Job }) {
  const [url] = useUrl();
  const runs = useData<RunLine[]>("runs");
  if (runs.fault) return <Failure fault={runs.fault} />;
  if (!runs.value) return <main aria-busy="true" />;
  const run = runs.value[Number(url.run ?? 0)] ?? runs.value[0];
  if (!run) return <Failure fault="No run is open." />;
  const shown = (Object.keys(tabs) as Tab[]).filter(
    (tab) => (tab !== "compare" || runs.value!.length > 1) && (tab !== "cases" || has("cases")),
  );
  const tab = shown.find((name) => name === url.tab) ?? "overview";
  const Page = pages[tab];
  return (
    <>
      <header class="view-head">
        <h1>
          <Words>{job.title}</Words>
        </h1>
        <nav aria-label="Pages">
          {shown.map((name) => (
            <a key={name} href={`#tab=${name}&run=${run.place}`} aria-current={name === tab ? "page" : undefined}>
              {tabs[name]}
            </a>
          ))}
        </nav>
        {runs.value.length > 1 && tab !== "compare" && <Runs runs={runs.value} run={run} />}
      </header>
      <main>
        <Page run={run} runs={runs.value} />
      </main>
    </>
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
