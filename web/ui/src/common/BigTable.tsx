import {
  Virtualizer,
  elementScroll,
  observeElementOffset,
  observeElementRect,
} from "@tanstack/virtual-core";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

export interface BigColumn<Row> {
  name: string;
  title: ComponentChildren;
  /** A width of CSS grid: "8rem", "1fr", "minmax(12rem, 2fr)". */
  width: string;
  cell: (row: Row) => ComponentChildren;
  sortable?: boolean;
  numeric?: boolean;
  /** On a card it has the whole line; by default half of one. */
  isLine?: boolean;
  /** Left out where there is no room for all columns, and on cards. */
  isExtra?: boolean;
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
  /** The height of a row on a telephone, where it is a card instead of a line; by default a line. */
  cardHeight?: number;
  /** "name" or "-name". */
  sort?: string;
  onSort?: (sort: string) => void;
  onOpen?: (row: Row, place: number) => void;
  chosen?: number;
}

/** A table of any number of rows, of which only those on the screen are in the document. */
export function BigTable<Row>(props: BigTableProps<Row>) {
  const { count } = props;
  const box = useRef<HTMLDivElement>(null);
  const isCards = useNarrow() && props.cardHeight !== undefined;
  const width = useWidth(box);
  const columns = props.columns.filter((column) => !column.isExtra || width >= narrowestOf(props.columns));
  const rowHeight = (isCards ? props.cardHeight : props.rowHeight) ?? 36;
  const [, redraw] = useState(0);
  const options = {
    count,
    estimateSize: () => rowHeight,
    getScrollElement: () => box.current,
    overscan: 8,
    // The heading covers as much as a row; and what comes after the chosen row is shown, too.
    scrollPaddingEnd: 3 * rowHeight,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw((last) => last + 1),
  };
  const virtual = useMemo(() => new Virtualizer<HTMLDivElement, HTMLDivElement>(options), []);
  virtual.setOptions(options);
  useEffect(() => virtual._didMount(), [virtual]);
  useEffect(() => virtual.measure(), [virtual, rowHeight]);
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
  const grid = isCards ? {} : { gridTemplateColumns: columns.map((column) => column.width).join(" ") };
  // The same for every row: each row is a grid of its own, and their columns must stand in line.
  const wide = isCards ? {} : { minWidth: `calc(${columns.map((column) => narrowest(column.width)).join(" + ")})` };
  return (
    <>
      {items.length < count && (
        <p class="on-paper">
          Only the rows that were on the screen are printed: {first + 1} to {last + 1} of {count}.
        </p>
      )}
      {isCards && props.onSort && <SortBy columns={columns} sort={props.sort ?? ""} onSort={props.onSort} />}
      <div
        class={isCards ? "big-table cards" : "big-table"}
        ref={box}
        role="table"
        aria-label={props.label}
        aria-rowcount={count + 1}
        tabIndex={0}
      >
        <div role="rowgroup" class="big-head" style={wide}>
          <div role="row" aria-rowindex={1} class="big-row" style={grid}>
            {columns.map((column) => (
              <Heading key={column.name} column={column} sort={props.sort} onSort={isCards ? undefined : props.onSort} />
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
                  <div key={column.name} role="cell" class={cellClass(column, isCards)}>
                    {isCards && !column.isLine && <span class="quiet">{column.title} </span>}
                    {row === undefined ? "…" : column.cell(row) || (isCards ? "–" : "")}
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

const NARROW = matchMedia("(max-width: 40rem)");

/** Whether the page is as narrow as a telephone. */
function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(NARROW.matches);
  useEffect(() => {
    const look = () => setNarrow(NARROW.matches);
    NARROW.addEventListener("change", look);
    return () => NARROW.removeEventListener("change", look);
  }, []);
  return narrow;
}

function cellClass<Row>(column: BigColumn<Row>, isCards: boolean): string {
  if (isCards) return column.isLine ? "line" : "";
  return column.numeric ? "number" : "";
}

/** Cards have no headings to click on. */
function SortBy<Row>(props: { columns: BigColumn<Row>[]; sort: string; onSort: (sort: string) => void }) {
  const { columns, sort, onSort } = props;
  const name = sort.replace(/^-/, "");
  return (
    <p class="sort-by">
      <label>
        Sorted by{" "}
        <select value={name} onChange={(event) => onSort(event.currentTarget.value)}>
          <option value="">the order of the run</option>
          {columns.flatMap((column) =>
            column.sortable ? (
              <option key={column.name} value={column.name}>
                {column.title}
              </option>
            ) : (
              []
            ),
          )}
        </select>
      </label>
      {sort && (
        <button type="button" onClick={() => onSort(sort === name ? `-${name}` : name)}>
          {sort === name ? "lowest first ▲" : "highest first ▼"}
        </button>
      )}
    </p>
  );
}

/** The width of an element in pixels, and again whenever it changes. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => setWidth(entry!.contentRect.width));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

/** The pixels that columns have at least together; their widths are in rem. */
function narrowestOf<Row>(columns: BigColumn<Row>[]): number {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  return rem * columns.reduce((sum, column) => sum + Number.parseFloat(narrowest(column.width)), 0);
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
        {column.title}
        {up || down ? <span aria-hidden="true"> {up ? "▲" : "▼"}</span> : null}
      </button>
    </div>
  );
}
