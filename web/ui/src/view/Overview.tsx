import { Failure } from "../common/Failure";
import { Chart } from "./Chart";
import { Conclusions } from "./Conclusions";
import { GridTable } from "./GridTable";
import { MainTable } from "./MainTable";
import type { PageProps } from "./runs";
import type { OverviewData, Remark, Section } from "./shapes";
import { useData } from "./source";

export function Overview({ run }: PageProps) {
  const { value, fault } = useData<OverviewData>(`overview?run=${run.place}`);
  if (fault) return <Failure fault={fault} />;
  if (!value) return <p class="quiet">Loading …</p>;
  return <Front overview={value} />;
}

/** The numbers of a run, what hangs on the judge, the figures, and every other table. */
export function Front({ overview }: { overview: OverviewData }) {
  const failed = Object.entries(overview.failures);
  return (
    <section aria-label="Overview">
      <h2>
        <bdi>{overview.title}</bdi>: {many(overview.models, "model")} on {many(overview.cases, "case")}
      </h2>
      <p class="quiet">
        dxjudge {overview.version}, signature {overview.id}. Judges:{" "}
        {overview.judges.map((one, at) => (
          <span key={one.name}>
            {at > 0 && ", "}
            <bdi>{one.name}</bdi>
            {one.short !== one.name && (
              <>
                {" "}
                (<bdi>{one.short}</bdi>)
              </>
            )}
          </span>
        ))}
        .
      </p>
      {failed.length > 0 && (
        <p class="warn" role="note">
          Without a verdict or an answer: {failed.map(([task, count]) => `${task} ${count}`).join(", ")}.
        </p>
      )}
      <Remarks title="Left out" remarks={overview.left_out} />
      <Remarks title="Skipped cases" remarks={overview.skipped} />
      {overview.notes.length > 0 && (
        <>
          <h2>Notes</h2>
          <ul>
            {overview.notes.map((note) => (
              <li key={note}>
                <bdi>{note}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
      <h2 id="scores">Scores</h2>
      <MainTable main={overview.main} />
      <p class="quiet">
        <bdi>{overview.caption}</bdi> # is the rank over the cases that all models resolved; ? marks a rank
        that the unresolved items could change.
      </p>
      {overview.rank_notes.length > 0 && (
        <details>
          <summary>What the unresolved items could change ({overview.rank_notes.length})</summary>
          {overview.rank_notes.map((note) => (
            <p key={note}>
              <bdi>{note}</bdi>
            </p>
          ))}
        </details>
      )}
      {overview.conclusions.length > 0 && (
        <>
          <h2 id="conclusions">Does a conclusion depend on the judge?</h2>
          <Conclusions conclusions={overview.conclusions} familyNote={overview.family_note} />
        </>
      )}
      {overview.figures.length > 0 && (
        <>
          <h2 id="figures">Figures</h2>
          <div class="charts">
            {overview.figures.map((figure) => (
              <Chart key={figure.name} figure={figure} />
            ))}
          </div>
        </>
      )}
      {overview.sections.map((section) => (
        <Tables key={section.name} section={section} />
      ))}
      <h2 id="signature">Signature</h2>
      <details>
        <summary>Everything needed to reproduce these numbers</summary>
        <pre>{JSON.stringify(overview.signature, null, 2)}</pre>
      </details>
    </section>
  );
}

function many(count: number, name: string): string {
  return `${count.toLocaleString("en")} ${name}${count === 1 ? "" : "s"}`;
}

function Remarks({ title, remarks }: { title: string; remarks: Remark[] }) {
  if (remarks.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <ul>
        {remarks.map((one) => (
          <li key={one.task}>
            <b>{one.task}</b>: <bdi>{one.reason}</bdi>
          </li>
        ))}
      </ul>
    </>
  );
}

function Tables({ section }: { section: Section }) {
  return (
    <>
      <h2 id={section.name}>{section.title}</h2>
      {section.grids.map((grid) => (
        <details key={grid.title} open={section.name === "paper"}>
          <summary>
            <bdi>{grid.title}</bdi> ({grid.rows.length.toLocaleString("en")})
          </summary>
          <GridTable grid={grid} />
        </details>
      ))}
    </>
  );
}
