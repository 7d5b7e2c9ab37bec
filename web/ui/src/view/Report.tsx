import { useEffect, useState } from "preact/hooks";
import { Failure } from "../common/Failure";
import { JudgesFront } from "./Judges";
import { Front } from "./Overview";
import { Samples } from "./Samples";
import type { JudgesData, OverviewData, SamplesData } from "./shapes";
import { has } from "./packed";
import { useData } from "./source";

/** The self-contained report: the pages of one run below each other, so that they print as one. */
export function Report({ title }: { title: string }) {
  const { value: overview, fault } = useData<OverviewData>("overview?run=0");
  const { value: judges, loading } = useData<JudgesData>(has("judges?run=0") ? "judges?run=0" : null);
  const { value: samples } = useData<SamplesData>("samples?run=0");
  useOpenInPrint();
  if (fault) return <Failure fault={fault} />;
  if (!overview || loading) return null;
  return (
    <>
      <header class="view-head">
        <h1>
          <bdi>{title}</bdi>
        </h1>
        <Links overview={overview} judges={judges} />
        <Theme />
      </header>
      <main>
        <Front overview={overview} />
        {judges && (
          <div id="judges">
            <JudgesFront judges={{ ...judges, conclusions: [] }} run={0} />
          </div>
        )}
        {samples && <Samples samples={samples} cases={overview.cases} seed={overview.seed} />}
      </main>
    </>
  );
}

function Links({ overview, judges }: { overview: OverviewData; judges: JudgesData | undefined }) {
  const places = [
    ["scores", "Scores"],
    ...(overview.conclusions.length ? [["conclusions", "Conclusions"]] : []),
    ...(overview.figures.length ? [["figures", "Figures"]] : []),
    ...overview.sections.map((section) => [section.name, section.title]),
    ["signature", "Signature"],
    ...(judges ? [["judges", "Judges"]] : []),
    ["cases", "Cases"],
  ];
  return (
    <nav aria-label="Sections">
      {places.map(([name, title]) => (
        <a key={name} href={`#${name}`}>
          {title}
        </a>
      ))}
    </nav>
  );
}

function Theme() {
  const [theme, setTheme] = useState("");
  useEffect(() => {
    document.documentElement.style.colorScheme = theme;
  }, [theme]);
  return (
    <label class="choice">
      Colours{" "}
      <select value={theme} onChange={(event) => setTheme(event.currentTarget.value)}>
        <option value="">as the system</option>
        <option value="light">light</option>
        <option value="dark">dark</option>
      </select>
    </label>
  );
}

/** On paper nothing can be opened: everything but what belongs to the cases is open there. */
function useOpenInPrint(): void {
  useEffect(() => {
    let opened: HTMLDetailsElement[] = [];
    const open = () => {
      opened = [...document.querySelectorAll<HTMLDetailsElement>("details:not([open], .cases *, .one-case *)")];
      for (const one of opened) one.open = true;
    };
    const close = () => {
      for (const one of opened) one.open = false;
    };
    addEventListener("beforeprint", open);
    addEventListener("afterprint", close);
    return () => {
      removeEventListener("beforeprint", open);
      removeEventListener("afterprint", close);
    };
  }, []);
}
