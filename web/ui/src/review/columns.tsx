import type { BigColumn } from "../common/BigTable";
import { Words } from "../common/Words";
import type { Brief, Draft } from "./types";
import { count } from "./words";

const SIGNS = {
  fault: ["!", "bad"],
  "not saved yet": ["✎", "doubt"],
  open: ["○", "quiet"],
  reviewed: ["✓", "good"],
  accepted: ["≈", "good"],
} as const;

/** The columns of the list; a row with a draft was changed and left. */
export function columnsOf(drafts: ReadonlyMap<string, Draft>): BigColumn<Brief>[] {
  return [
    {
      name: "state",
      title: <span class="unseen">State</span>,
      width: "2.4rem",
      cell: (row) => {
        const state = row.fault ? "fault" : drafts.has(row.id) ? "not saved yet" : row.state;
        const [sign, style] = SIGNS[state];
        return (
          <span class={style} title={row.fault || state}>
            {sign}
            <span class="unseen">{row.fault || state}</span>
          </span>
        );
      },
    },
    ...COLUMNS,
  ];
}

const COLUMNS: BigColumn<Brief>[] = [
  {
    name: "text",
    title: "Text",
    width: "minmax(6rem, 1fr)",
    cell: (row: Brief) => (
      <>
        {row.flagged && <Flag by={row.flagged} />}
        <span title={row.text}>
          <Words>{row.text}</Words>
        </span>
      </>
    ),
  },
  { name: "code", title: "Code", width: "6.6rem", cell: (row: Brief) => <span class="code">{row.code || "–"}</span> },
  { name: "rows", title: "Rows", width: "3.9rem", numeric: true, cell: (row: Brief) => (row.rows ? count(row.rows) : "–") },
  {
    name: "score",
    title: "Conf.",
    width: "3.9rem",
    numeric: true,
    cell: (row: Brief) => (row.code ? row.score.toFixed(2) : "–"),
  },
];

function Flag({ by }: { by: string }) {
  const words = `flagged by ${by}`;
  return (
    <span class="doubt" title={words}>
      <span aria-hidden="true">⚑ </span>
      <span class="unseen">{words}: </span>
    </span>
  );
}
