import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import { BigTable, type BigColumn } from "../common/BigTable";
import { Failure } from "../common/Failure";
import { type UrlState, useUrl } from "../common/useUrl";
import { Words } from "../common/Words";
import { CasePage } from "./CasePage";
import { cleared, link, ranges, serverQuery } from "./filters";
import { Filters, type Found } from "./Filters";
import { counted, shortNames, shown } from "./names";
import type { PageProps } from "./runs";
import { load, useData } from "./source";

/** A row of the table; see web/view/cases.py. */
export interface Row {
  row: number;
  case: string;
  model: string;
  judge: string;
  task: string;
  place: number;
  status: string;
  right: string;
  verdict: string;
  score: number | null;
  cost: number | null;
  seconds: number | null;
  repairs: number;
  judges: string;
}

const CHUNK = 100;
const KEPT = 40; // chunks of rows that stay in the memory of the page

/** The table of all verdicts with its filters, or one of its cases. */
export function Cases({ run }: PageProps) {
  const [url] = useUrl();
  return url.case === undefined ? <Table run={run.place} /> : <CasePage run={run.place} id={url.case} />;
}

function Table({ run }: { run: number }) {
  const [url, go] = useUrl();
  const search = serverQuery(url, run);
  const found = useData<Found>(`found${serverQuery({ ...url, sort: "" }, run)}`);
  const rows = useRows(search);
  const value = found.value;
  const names = useMemo(
    () => shortNames((value?.facets.judge ?? []).map((one) => one.value)),
    [value?.facets.judge],
  );
  const columns = useMemo(() => columnsOf(url, names), [url, names]);
  return (
    <div class="cases">
      {found.fault ? <Failure fault={found.fault} /> : null}
      {value && <Filters found={value} url={url} go={go} names={names} />}
      <section aria-label="Verdicts" class="cases-rows">
        {value && <Summary found={value} url={url} busy={found.loading} go={go} />}
        {rows.fault ? <Failure fault={rows.fault} /> : null}
        {value && (
          <BigTable<Row>
            label="Verdicts"
            columns={columns}
            count={value.total}
            cardHeight={148}
            rowAt={rows.at}
            onShown={rows.shown}
            sort={url.sort ?? ""}
            onSort={(sort) => go({ sort })}
            onOpen={(row) => go({ case: row.case, row: String(row.row) })}
          />
        )}
      </section>
    </div>
  );
}

function Summary(props: { found: Found; url: UrlState; busy: boolean; go: (change: UrlState) => void }) {
  const { found, url, busy, go } = props;
  const clear = cleared(url);
  const filtered = Object.keys(clear).length > 0;
  const out = found.of - found.total;
  return (
    <p class="cases-summary" role="status" aria-busy={busy}>
      <strong>{counted.format(found.total)}</strong> of {counted.format(found.of)} rows,{" "}
      {counted.format(found.cases)} cases.
      {out > 0 && ` The filters leave out ${counted.format(out)}`}
      {out > 0 && found.left_out.length > 0 && `, among them ${found.left_out.join(", ")}`}
      {out > 0 && ". "}
      {filtered && (
        <button type="button" onClick={() => go(clear)}>
          Clear all filters
        </button>
      )}
    </p>
  );
}

function columnsOf(url: UrlState, names: Map<string, string>): BigColumn<Row>[] {
  const words = (name: keyof Row & string, title: string, width: string): BigColumn<Row> => ({
    name,
    title,
    width,
    sortable: true,
    cell: (row) => <Whole words={String(row[name])} />,
  });
  const number = (name: keyof Row & string, title: string, width: string): BigColumn<Row> => ({
    name,
    title,
    width,
    sortable: true,
    numeric: true,
    cell: (row) => shown(row[name] as number | null),
  });
  return [
    { ...words("case", "Case", "minmax(6rem, 1fr)"), isLine: true, cell: (row) => <CaseLink row={row} url={url} /> },
    words("model", "Model", "minmax(6rem, 1fr)"),
    {
      ...words("judge", "Judge", "minmax(6rem, 1fr)"),
      cell: (row) => <Whole words={names.get(row.judge) ?? row.judge} />,
    },
    {
      ...words("task", "Step", "minmax(7rem, 1fr)"),
      isLine: true,
      cell: (row) => <Whole words={row.place ? `${row.task} ${row.place + 1}` : row.task} />,
    },
    { ...words("verdict", "Verdict", "minmax(7rem, 2fr)"), isLine: true, sortable: false },
    {
      ...words("right", "Right?", "5.4rem"),
      cell: (row) => (row.right === "no right or wrong" ? "" : row.right),
    },
    words("status", "Outcome", "6.4rem"),
    number("score", url.metric || ranges.score!, "5rem"),
    { ...words("judges", "Judges", "6rem"), cell: (row) => (row.judges === "fewer than two" ? "" : row.judges) },
    { ...number("repairs", "Repairs", "5.5rem"), isExtra: true, sortable: false, cell: (row) => (row.repairs ? String(row.repairs) : "") },
    { ...number("cost", "Cost", "5rem"), isExtra: true, cell: (row) => shown(row.cost, 5) },
    { ...number("seconds", ranges.seconds!, "5.5rem"), isExtra: true, cell: (row) => shown(row.seconds, 2) },
  ];
}

/** Words that a narrow column cuts; the pointer shows them whole. */
function Whole({ words }: { words: string }) {
  return (
    <span title={words}>
      <Words>{words}</Words>
    </span>
  );
}

function CaseLink({ row, url }: { row: Row; url: UrlState }) {
  return (
    <a href={link(url, { case: row.case, row: String(row.row) })} onClick={(event) => event.stopPropagation()}>
      <Words>{row.case}</Words>
    </a>
  );
}

/** The rows of a query, loaded in chunks as they come on the screen. */
function useRows(search: string) {
  const cache = useRef({ search, chunks: new Map<number, Row[] | null>(), timer: 0 });
  const [fault, setFault] = useState<unknown>();
  const [, redraw] = useState(0);
  if (cache.current.search !== search) {
    clearTimeout(cache.current.timer);
    cache.current = { search, chunks: new Map(), timer: 0 };
  }
  const at = useCallback((place: number): Row | undefined => {
    return cache.current.chunks.get(Math.floor(place / CHUNK))?.[place % CHUNK];
  }, []);
  const fetchChunk = useCallback((chunk: number) => {
    const own = cache.current;
    own.chunks.set(chunk, null);
    load<Row[]>(`rows${search}&first=${chunk * CHUNK}&count=${CHUNK}`).then(
      (rows) => {
        own.chunks.set(chunk, rows);
        for (const old of [...own.chunks.keys()].slice(0, Math.max(0, own.chunks.size - KEPT))) own.chunks.delete(old);
        if (cache.current === own) redraw((last) => last + 1);
      },
      (reason: unknown) => {
        own.chunks.delete(chunk);
        setFault(reason);
      },
    );
  }, [search]);
  const visible = useCallback((first: number, last: number) => {
    const own = cache.current;
    clearTimeout(own.timer);
    const missing: number[] = [];
    for (let chunk = Math.floor(first / CHUNK); chunk <= Math.floor(last / CHUNK); chunk++) {
      if (!own.chunks.has(chunk)) missing.push(chunk);
    }
    // While the table is dragged past thousands of rows, only those where it stops are asked for.
    const wait = own.chunks.size ? 60 : 0;
    own.timer = window.setTimeout(() => missing.forEach(fetchChunk), wait);
  }, [fetchChunk]);
  return { at, shown: visible, fault };
}
