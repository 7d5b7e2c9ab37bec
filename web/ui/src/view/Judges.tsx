import { Failure } from "../common/Failure";
import { Chart } from "./Chart";
import { Conclusions } from "./Conclusions";
import { Confusions } from "./Confusions";
import { GridTable } from "./GridTable";
import type { PageProps } from "./runs";
import type { Contested, Grid, JudgesData, PeopleData } from "./shapes";
import { hasCase } from "./packed";
import { useData } from "./source";

export function Judges({ run }: PageProps) {
  const { value, fault, loading } = useData<JudgesData | null>(`judges?run=${run.place}`);
  if (loading && value === undefined) return <p class="quiet">Loading …</p>;
  return (
    <>
      {fault ? (
        <Failure fault={fault} />
      ) : value ? (
        <JudgesFront judges={value} run={run.place} />
      ) : (
        <p>This run has one judge or none, so there are no judges to compare.</p>
      )}
      <People run={run.place} />
    </>
  );
}

/** Each judge with each person on the items that people judged. */
function People({ run }: { run: number }) {
  const { value, fault, loading } = useData<PeopleData | null>(`people?run=${run}`);
  const differ = `#${new URLSearchParams({ tab: "cases", run: String(run), people: "differ" })}`;
  return (
    <section aria-label="Judges and people">
      <h2 id="people">Judges and people</h2>
      {fault ? <Failure fault={fault} /> : null}
      {loading && value === undefined && <p class="quiet">Loading …</p>}
      {value === null && (
        <p>
          No person judged an item of this run. Rate some with <code>dxjudge rate RUN</code>, or give a table of votes
          with <code>--people</code>.
        </p>
      )}
      {value && (
        <>
          <p>
            People: <bdi>{value.people.join(", ")}</bdi>.{" "}
            {value.differ > 0 ? (
              <a href={differ}>{value.differ.toLocaleString("en")} verdicts that a person contradicts</a>
            ) : (
              "No person contradicts a verdict."
            )}
            {value.unused > 0 &&
              ` ${value.unused.toLocaleString("en")} verdicts of people are on items that no judge of this run judged.`}
          </p>
          <Confusions pairs={value.pairs} />
          <Blocks title="Agreement of judges and people: every measure" grids={value.agreement} notes={value.notes} />
        </>
      )}
    </section>
  );
}

/** Where judges disagree: the cases themselves first, then the numbers. */
export function JudgesFront({ judges, run }: { judges: JudgesData; run: number }) {
  return (
    <section aria-label="Judges">
      {judges.contested.length > 0 && (
        <>
          <h2 id="contested">Most contested</h2>
          <p class="quiet">
            The items on which the verdicts differ most. Disagreement is the mean distance over pairs of
            judges, from 0 to 1.
            {judges.left > 0 && ` ${judges.left.toLocaleString("en")} more are in votes.csv (dxjudge agree --contested).`}
          </p>
          {judges.contested.map((one, at) => (
            <ContestedCase key={at} one={one} run={run} open={at < 3} />
          ))}
        </>
      )}
      {judges.conclusions.length > 0 && (
        <>
          <h2>Does a conclusion depend on the judge?</h2>
          <Conclusions conclusions={judges.conclusions} familyNote="" />
        </>
      )}
      <SelfPreference judges={judges} />
      {judges.pairs.length > 0 && (
        <>
          <h2 id="pairs">Every two judges</h2>
          <Confusions pairs={judges.pairs} />
        </>
      )}
      {judges.figures.length > 0 && (
        <>
          <h2>Agreement and ranks by judge</h2>
          <div class="charts">
            {judges.figures.map((figure) => (
              <Chart key={figure.name} figure={figure} />
            ))}
          </div>
        </>
      )}
      <Blocks title="The same responses under each judge: every table" grids={judges.swap} notes={[]} />
      <Blocks title="Agreement of the judges: every measure" grids={judges.agreement} notes={judges.notes} />
    </section>
  );
}

/** What judges give the models of their own family. */
function SelfPreference({ judges }: { judges: JudgesData }) {
  if (!judges.families.length && !judges.family_note) return null;
  return (
    <>
      <h2 id="self-preference">Self-preference</h2>
      {judges.family_note && (
        <p>
          No number: <bdi>{judges.family_note}</bdi>.
        </p>
      )}
      {judges.families.map((grid) => (
        <GridTable key={grid.title} grid={grid} />
      ))}
    </>
  );
}

function ContestedCase({ one, run, open }: { one: Contested; run: number; open: boolean }) {
  const link = `#${new URLSearchParams({ tab: "cases", run: String(run), case: one.case })}`;
  return (
    <details class="contested" open={open}>
      <summary>
        <b>{one.step}</b>, case <bdi>{one.case}</bdi>: <bdi>{one.about}</bdi>{" "}
        <span class="quiet">disagreement {one.disagreement.toFixed(2)}</span>
      </summary>
      {one.truth && (
        <p>
          <span class="quiet">True:</span> <bdi>{one.truth}</bdi>
        </p>
      )}
      <div class="votes">
        {one.votes.map((vote, at) => (
          <div class="vote" key={at}>
            <span class="quiet">
              <bdi>{vote.judge}</bdi>
            </span>
            <b class={vote.status === "failed" ? "bad" : ""}>
              <bdi>{vote.words}</bdi>
            </b>
            <p>
              <bdi>{vote.why}</bdi>
            </p>
          </div>
        ))}
      </div>
      {hasCase(one.case) && (
        <p>
          <a href={link}>All responses and verdicts of this case</a>
        </p>
      )}
      {one.text && (
        <details>
          <summary>Case</summary>
          <p class="words">
            <bdi>{one.text}</bdi>
          </p>
        </details>
      )}
    </details>
  );
}

function Blocks({ title, grids, notes }: { title: string; grids: Grid[]; notes: string[] }) {
  if (grids.length === 0) return null;
  return (
    <details>
      <summary>{title}</summary>
      {notes.map((note) => (
        <p class="quiet" key={note}>
          <bdi>{note}</bdi>
        </p>
      ))}
      {grids.map((grid, at) => (
        <div key={at}>
          <h3>
            <bdi>{grid.title}</bdi>
          </h3>
          <GridTable grid={grid} />
        </div>
      ))}
    </details>
  );
}
