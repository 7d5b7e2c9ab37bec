/** The columns of the rows inside a report; see evaluation/report/case_rows.py. */
export interface Table {
  row: number[];
  values: Record<string, string[]>;
  codes: Record<string, number[]>;
  groups: Record<string, Record<string, number[]>>;
  place: number[];
  repairs: number[];
  verdict: string[];
  score: Column;
  cost: Column;
  seconds: Column;
  scores: Record<string, Column>;
}
export type Column = (number | null)[];

/** The case of each row, by its place among those inside. */
export function casesOf(table: Table): number[] {
  return table.codes.case!;
}
