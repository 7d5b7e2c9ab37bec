import {
  Virtualizer,
  elementScroll,
  observeElementOffset,
  observeElementRect,
} from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

export interface BigColumn<Row> {
  name: string;
  title: ComponentChildren;
  /** A width of CSS grid: "8rem", "1fr", "minmax(12rem, 2fr)". */
  width: string;
  cell: (row: Row) => ComponentChildren;
  sortable?: boolean;
  numeric?: boolean;
}

export interface BigTableProps<Row> {
  label: string;
  columns: BigColumn<Row>[];
  count: number;
  /** The row at a place, or undefined while it is loading. */
  rowAt: (place: number) => Row | undefined;
  /** Called with the places that are on the screen, so that they can be loaded. */
  onShown?: (first: number, last: number) => void;
  rowHeight?: number;
  /** "name" or "-name". */
  sort?: string;
  onSort?: (sort: string) => void;
  onOpen?: (row: Row, place: number) => void;
  chosen?: number;
}

/** A table of any number of rows, of which only those on the screen are in the document. */
export function BigTable<Row>(props: BigTableProps<Row>) {
  const { columns, count, rowHeight = 36 } = props;
  const box = useRef<HTMLDivElement>(null);
  const [, redraw] = useState(0);
  const options = {
    count,
    estimateSize: () => rowHeight,
    getScrollElement: () => box.current,
    overscan: 8,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw((last) => last + 1),
  };
  const virtual = useMemo(() => new Virtualizer<HTMLDivElement, HTMLDivElement>(options), []);
  virtual.setOptions(options);
  useEffect(() => virtual._didMount(), [virtual]);
  useEffect(() => {
    virtual._willUpdate();
  });
  useEffect(() => {
    if (props.chosen !== undefined) virtual.scrollToIndex(props.chosen);
  }, [props.chosen, virtual]);
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (count) props.onShown?.(first, last);
  }, [first, last, count, props.onShown]);
  const grid = { gridTemplateColumns: columns.map((column) => column.width).join(" ") };
  // The same for every row: each row is a grid of its own, and their columns must stand in line.
  const wide = { minWidth: `calc(${columns.map((column) => narrowest(column.width)).join(" + ")})` };
  return (
    <>
      {items.length < count && (
        <p class="on-paper">
          Only the rows that were on the screen are printed: {first + 1} to {last + 1} of {count}.
        </p>
      )}
      <div
        class="big-table"
        ref={box}
        role="table"
        aria-label={props.label}
        aria-rowcount={count + 1}
        tabIndex={0}
      >
        <div role="rowgroup" class="big-head" style={wide}>
          <div role="row" aria-rowindex={1} class="big-row" style={grid}>
            {columns.map((column) => (
              <Heading key={column.name} column={column} sort={props.sort} onSort={props.onSort} />
            ))}
          </div>
        </div>
        <div role="rowgroup" class="big-body" style={{ ...wide, height: `${virtual.getTotalSize()}px` }}>
          {items.map((item) => {
            const row = props.rowAt(item.index);
            const chosen = item.index === props.chosen ? " chosen" : "";
            return (
              <div
                key={item.index}
                role="row"
                aria-rowindex={item.index + 2}
                class={`big-row placed${chosen}${props.onOpen ? " opens" : ""}`}
                style={{ ...grid, height: `${rowHeight}px`, top: `${item.start}px` }}
                onClick={() => row && props.onOpen?.(row, item.index)}
              >
                {columns.map((column) => (
                  <div key={column.name} role="cell" class={column.numeric ? "number" : ""}>
                    {row === undefined ? "…" : column.cell(row)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </>
  );
}

/** The width that a column has at least: "minmax(7rem, 1fr)" is 7rem. */
function narrowest(width: string): string {
  return width.match(/^minmax\(([^,]+),/)?.[1] ?? (width.endsWith("fr") ? "6rem" : width);
}

function Heading<Row>(props: {
  column: BigColumn<Row>;
  sort: string | undefined;
  onSort: ((sort: string) => void) | undefined;
}) {
  const { column, sort, onSort } = props;
  const up = sort === column.name;
  const down = sort === `-${column.name}`;
  const style = column.numeric ? "number" : "";
  if (!column.sortable || !onSort) {
    return (
      <div role="columnheader" class={style}>
        {column.title}
      </div>
    );
  }
  return (
    <div
      role="columnheader"
      class={style}
      aria-sort={up ? "ascending" : down ? "descending" : "none"}
    >
      <button type="button" class="sort" onClick={() => onSort(up ? `-${column.name}` : column.name)}>
        {column.title} <span aria-hidden="true">{up ? "▲" : down ? "▼" : "↕"}</span>
      </button>
    </div>
  );
}
