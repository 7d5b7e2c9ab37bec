import { useState } from "preact/hooks";
import type { Grid } from "./shapes";

const MOST_COLUMNS = 3; // of a table that a telephone shows side by side

const NUMBER = /^[-+]?\d[\d.,]*( of [\d,]+)?$/;

/** A table of texts that sorts by a click on a heading: numbers as numbers, words as words. */
export function GridTable({ grid }: { grid: Grid }) {
  const [sort, setSort] = useState<{ place: number; up: boolean } | null>(null);
  const rows = sort ? [...grid.rows].sort(by(sort.place, sort.up)) : grid.rows;
  return (
    <div class="grid" tabIndex={0} role="group" aria-label={grid.title || "Table"}>
      <table role="table" class={grid.header.length > MOST_COLUMNS ? "stacks" : ""}>
        {grid.caption && (
          <caption>
            <bdi>{grid.caption}</bdi>
          </caption>
        )}
        <thead role="rowgroup">
          <tr role="row">
            {grid.header.map((name, place) => (
              <Head
                key={place}
                name={name}
                up={sort?.place === place ? sort.up : null}
                onSort={() => setSort({ place, up: sort?.place === place && !sort.up })}
              />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row, line) => (
            <tr role="row" key={line}>
              {row.map((cell, place) =>
                place === 0 ? (
                  <th role="rowheader" scope="row" key={place}>
                    <bdi>{cell}</bdi>
                  </th>
                ) : (
                  <td role="cell" key={place} class={NUMBER.test(cell) ? "one-line" : ""} data-label={grid.header[place]}>
                    <bdi>{cell}</bdi>
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A heading that sorts; `up` is null where the table is sorted by another one. */
export function Head(props: { name: string; up: boolean | null; onSort: () => void }) {
  const { name, up, onSort } = props;
  const order = up === null ? undefined : up ? "ascending" : "descending";
  if (!name) return <td />;
  return (
    <th role="columnheader" scope="col" aria-sort={order}>
      <button type="button" class="sort" onClick={onSort}>
        <bdi>{name}</bdi> <span aria-hidden="true">{up === null ? "" : up ? "▲" : "▼"}</span>
      </button>
    </th>
  );
}

function by(place: number, up: boolean) {
  return (a: string[], b: string[]) => {
    const x = a[place] ?? "";
    const y = b[place] ?? "";
    const less = Number.parseFloat(x) - Number.parseFloat(y);
    const order = Number.isNaN(less) ? x.localeCompare(y) : less;
    return up ? order : -order;
  };
}
