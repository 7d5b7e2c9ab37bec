import { useState } from "preact/hooks";
import { Failure } from "../common/Failure";
import { useUrl } from "../common/useUrl";
import { GridTable } from "./GridTable";
import { shortNames } from "./names";
import type { PageProps, RunLine } from "./runs";
import type { Comparison, Moved } from "./shapes";
import { useData } from "./source";

/** So many differences stand on the page at once: after more of them nobody finds the numbers. */
const FEW = 12;

/** Two runs side by side: what differs between them, what moved, and the cases that changed. */
export function Compare({ runs }: PageProps) {
  const [url, go] = useUrl();
  const first = Number(url.first ?? 0);
  const second = Number(url.second ?? 1);
  const { value, fault } = useData<Comparison>(`compare?first=${first}&second=${second}`);
  return (
    <section aria-label="Compare">
      <div class="tools">
        <Choice name="First run" runs={runs} place={first} onChange={(place) => go({ first: place })} />
        <Choice name="Second run" runs={runs} place={second} onChange={(place) => go({ second: place })} />
      </div>
      {fault ? <Failure fault={fault} /> : value ? <Found found={value} first={first} second={second} /> : <p>Loading …</p>}
    </section>
  );
}

function Choice(props: { name: string; runs: RunLine[]; place: number; onChange: (place: string) => void }) {
  return (
    <label>
      {props.name}{" "}
      <select value={props.place} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {props.runs.map((run) => (
          <option key={run.place} value={run.place}>
            {run.name}
          </option>
        ))}
      </select>
    </label>
  );
}

const three = (value: number | null) => (value === null ? "-" : value.toFixed(3));
const signed = (value: number | null) => (value === null ? "-" : `${value > 0 ? "+" : ""}${value.toFixed(3)}`);

function Found({ found, first, second }: { found: Comparison; first: number; second: number }) {
  const [all, setAll] = useState(false);
  const moved = found.moved.filter((one) => one.change !== 0 || one.changed > 0 || one.first_n !== one.second_n);
  const rows = [...(all ? found.moved : moved)].sort((a, b) => Math.abs(b.change ?? 0) - Math.abs(a.change ?? 0));
  const ours = shortNames([...new Set(found.moved.map((one) => one.judge))]);
  const theirs = shortNames([...new Set(found.moved.map((one) => one.second_judge))]);
  // A judge at another address has the same name; the addresses stand among what differs.
  const facing = (one: Moved) => [...new Set([ours.get(one.judge), theirs.get(one.second_judge)])].join(" > ");
  return (
    <>
      <Differences found={found} />
      <h2>What moved</h2>
      <p>
        {moved.length} of {found.moved.length} numbers moved, or are over other cases.{" "}
        <label>
          <input type="checkbox" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} /> also those
          that did not
        </label>
      </p>
      {rows.length > 0 && (
        <GridTable
          grid={{
            title: "What moved",
            header: ["Metric", "Model", "Judge", "First", "Second", "Change", "n first", "n second", "Cases that changed"],
            rows: rows.map((one) => [
              one.metric,
              one.model,
              facing(one),
              three(one.first),
              three(one.second),
              signed(one.change),
              String(one.first_n),
              String(one.second_n),
              `${one.changed} of ${one.shared}`,
            ]),
            caption: "Change: second minus first, each over all cases of its own run.",
          }}
        />
      )}
      <Only name="first" numbers={found.only_first} />
      <Only name="second" numbers={found.only_second} />
      <h2>Cases that changed</h2>
      <p>
        {found.changed === 0
          ? "No case has another score."
          : `${found.cases.length} of ${found.changed} changed scores are shown.`}
      </p>
      {found.cases.length > 0 && <Cases found={found} first={first} second={second} ours={ours} />}
    </>
  );
}

/** Which parts of the signatures differ; a long list of them waits behind a click. */
function Differences({ found }: { found: Comparison }) {
  const kinds = [...new Set(found.differences.map((one) => one.kind))];
  const count = found.differences.length;
  if (!count) {
    return (
      <>
        <h2>What differs</h2>
        <p>Nothing: the two runs have the same signature.</p>
      </>
    );
  }
  return (
    <>
      <h2>What differs</h2>
      <p>The runs differ in: {kinds.join(", ")}.</p>
      <details open={count <= FEW}>
        <summary>
          {count} {count === 1 ? "part" : "parts"} of the signature
        </summary>
        <GridTable
          grid={{
            title: "What differs",
            header: ["Of", "Part of the signature", "First run", "Second run"],
            rows: found.differences.map((one) => [one.kind, one.name, one.first ?? "-", one.second ?? "-"]),
            caption: "Each part of the signature that is not the same; a prompt is named by its hash.",
          }}
        />
      </details>
    </>
  );
}

function Only({ name, numbers }: { name: string; numbers: string[] }) {
  if (numbers.length === 0) return null;
  return (
    <details>
      <summary>
        {numbers.length} numbers are in the {name} run only
      </summary>
      <ul>
        {numbers.map((one) => (
          <li key={one}>
            <bdi>{one}</bdi>
          </li>
        ))}
      </ul>
    </details>
  );
}

const COLUMNS = ["Case", "Metric", "Model", "Judge", "First", "Second"];

interface CasesProps {
  found: Comparison;
  first: number;
  second: number;
  /** The judges of the first run by their short names. */
  ours: Map<string, string>;
}

function Cases({ found, first, second, ours }: CasesProps) {
  const link = (run: number, unit: string) => `#${new URLSearchParams({ tab: "cases", run: String(run), case: unit })}`;
  return (
    <div class="grid" tabIndex={0} role="group" aria-label="Cases that changed">
      <table role="table" class="changed stacks">
        <thead role="rowgroup">
          <tr role="row">
            {COLUMNS.map((name) => (
              <th role="columnheader" scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {found.cases.map((one, at) => (
            <tr role="row" key={at}>
              <th role="rowheader" scope="row">
                <bdi>{one.unit}</bdi>
              </th>
              <td role="cell" data-label="Metric">{one.metric}</td>
              <td role="cell" data-label="Model">
                <bdi>{one.model}</bdi>
              </td>
              <td role="cell" data-label="Judge">
                <bdi>{ours.get(one.judge)}</bdi>
              </td>
              <td role="cell" data-label="First">
                <a href={link(first, one.unit)} aria-label={`${one.unit} in the first run: ${one.first}`}>
                  {one.first}
                </a>
              </td>
              <td role="cell" data-label="Second">
                <a href={link(second, one.unit)} aria-label={`${one.unit} in the second run: ${one.second}`}>
                  {one.second}
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
