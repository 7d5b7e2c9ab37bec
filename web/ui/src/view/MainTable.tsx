import { useEffect, useRef, useState } from "preact/hooks";
import { Head } from "./GridTable";
import type { MainCell, MainColumn, MainRow, MainTable as Data } from "./shapes";

const NAMES = 0.36; // the names at the left have at most this share of the width
const WIDEST = 176;
const CELL = 116;
const PAGE = 680; // the width of a printed page

/**
 * The main table, cut into as many tables below each other as the page needs, so that none is wider
 * than the page: each has the names of the models again.
 */
export function MainTable({ main }: { main: Data }) {
  const [box, width] = useWidth();
  const [sort, setSort] = useState<{ place: number; up: boolean } | null>(null);
  const [judge, setJudge] = useState("");
  const judges = [...new Set(main.rows.map((row) => row.judge))];
  const wanted = main.rows.filter((row) => !judge || row.judge === judge);
  const rows = sort ? [...wanted].sort(by(sort.place, sort.up)) : wanted;
  const most = Math.max(1, Math.floor((width - Math.min(WIDEST, width * NAMES)) / CELL));
  const count = Math.max(1, Math.ceil(main.columns.length / most));
  const size = Math.ceil(main.columns.length / count);
  const starts = Array.from({ length: count }, (_, at) => at * size);
  return (
    <div ref={box}>
      {judges.length > 1 && (
        <label class="choice">
          Judge{" "}
          <select value={judge} onChange={(event) => setJudge(event.currentTarget.value)}>
            <option value="">all</option>
            {judges.map((name) => (
              <option key={name} value={name}>
                {main.rows.find((row) => row.judge === name)?.judge_short}
              </option>
            ))}
          </select>
        </label>
      )}
      {starts.map((start) => (
        <table class="main" key={start}>
          <thead>
            <tr>
              <th scope="col">Model</th>
              {main.change && start === 0 && <th scope="col">Rank {main.change}</th>}
              {main.columns.slice(start, start + size).map((column, at) => (
                <Head
                  key={at}
                  name={column.title}
                  up={sort?.place === start + at ? sort.up : null}
                  onSort={() => setSort({ place: start + at, up: sort?.place === start + at && !sort.up })}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={`${row.judge} ${row.model}`}>
                <th scope="row">
                  <bdi>{row.model}</bdi>
                  {judges.length > 1 && (
                    <span class="quiet under" title={row.judge}>
                      by <bdi>{row.judge_short}</bdi>
                    </span>
                  )}
                </th>
                {main.change && start === 0 && <td>{row.change || "-"}</td>}
                {main.columns.slice(start, start + size).map((column, at) => (
                  <Cell key={at} cell={row.cells[start + at] ?? null} column={column} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </div>
  );
}

/** The width of an element, which in print is that of the paper. */
function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(PAGE);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setWidth(element.clientWidth || PAGE);
    const print = () => setWidth(PAGE);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    addEventListener("beforeprint", print);
    addEventListener("afterprint", measure);
    return () => {
      observer.disconnect();
      removeEventListener("beforeprint", print);
      removeEventListener("afterprint", measure);
    };
  }, []);
  return [box, width] as const;
}

function by(place: number, up: boolean) {
  return (a: MainRow, b: MainRow) => {
    const x = a.cells[place]?.value ?? null;
    const y = b.cells[place]?.value ?? null;
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return up ? x - y : y - x;
  };
}

const three = (value: number) => value.toFixed(3);

function Cell({ cell, column }: { cell: MainCell | null; column: MainColumn }) {
  if (!cell || (cell.value === null && cell.worst === null)) return <td>-</td>;
  const unresolved = cell.failed + cell.undecided > 0;
  return (
    <td>
      <span class="figure">{cell.value === null ? "-" : three(cell.value)}</span>{" "}
      {cell.rank !== null && <Rank cell={cell} />}
      <Whisker cell={cell} column={column} />
      {cell.value !== null && cell.low !== null && cell.high !== null ? (
        <span class="under">
          [{three(cell.low)}, {three(cell.high)}]
        </span>
      ) : (
        cell.warning && <span class="under">({cell.warning})</span>
      )}
      {unresolved && (
        <span class="under">
          {cell.worst !== null && cell.best !== null
            ? `{${three(cell.worst)}, ${three(cell.best)}}`
            : "{no bounds: the scale has no ends}"}
        </span>
      )}
      <span class="under">{counts(cell)}</span>
    </td>
  );
}

function counts(cell: MainCell): string {
  const names = ["failed", "undecided", "abstained", "unmapped", "invalid"] as const;
  const parts = names.filter((name) => cell[name] > 0).map((name) => `${cell[name].toLocaleString("en")} ${name}`);
  return [`n ${cell.n.toLocaleString("en")}`, ...parts].join(", ");
}

function Rank({ cell }: { cell: MainCell }) {
  const wrong = cell.rank_if_wrong;
  const doubts = [
    cell.overlaps && `unresolved items could put it in another order with ${cell.overlaps}`,
    wrong !== null && wrong !== cell.rank && `rank ${wrong} if everything unresolved were wrong`,
  ].filter(Boolean);
  const words = `rank ${cell.rank}${doubts.length ? `; ${doubts.join("; ")}` : ""}`;
  return (
    <span class={doubts.length ? "rank doubt" : "rank"} title={words}>
      #{cell.rank}
      {doubts.length ? "?" : ""}
    </span>
  );
}

/** The number with its interval, and pale behind them what it could be with unresolved items. */
function Whisker({ cell, column }: { cell: MainCell; column: MainColumn }) {
  const span = column.high - column.low || 1;
  const at = (value: number) => 100 * Math.min(1, Math.max(0, (value - column.low) / span));
  const { value, low, high, worst, best } = cell;
  return (
    <svg class="whisker" viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">
      <line class="axis" x1="0" y1="6" x2="100" y2="6" />
      {worst !== null && best !== null && (
        <line class="bounds" x1={at(Math.min(worst, best))} y1="6" x2={at(Math.max(worst, best))} y2="6" />
      )}
      {low !== null && high !== null && <line class="interval" x1={at(low)} y1="6" x2={at(high)} y2="6" />}
      {value !== null && <line class="point" x1={at(value)} y1="1" x2={at(value)} y2="11" />}
    </svg>
  );
}
