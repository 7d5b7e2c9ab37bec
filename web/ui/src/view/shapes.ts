// The data of the pages, as evaluation/pages writes them. A number that is not known is null.

export interface MainCell {
  value: number | null;
  low: number | null;
  high: number | null;
  worst: number | null;
  best: number | null;
  n: number;
  failed: number;
  undecided: number;
  abstained: number;
  unmapped: number;
  invalid: number;
  warning: string;
  rank: number | null;
  rank_if_wrong: number | null;
  overlaps: string;
}

export interface MainColumn {
  title: string;
  metric: string;
  higher_is_better: boolean;
  low: number;
  high: number;
}

export interface MainRow {
  judge: string;
  judge_short: string;
  model: string;
  change: string;
  cells: (MainCell | null)[];
}

export interface MainTable {
  columns: MainColumn[];
  rows: MainRow[];
  change: string;
}

export interface Drawing {
  name: string;
  title: string;
  caption: string;
  svg: string;
  header: string[];
  rows: string[][];
}

export interface Grid {
  title: string;
  header: string[];
  rows: string[][];
  caption: string;
}

export interface Section {
  name: string;
  title: string;
  notes: string[];
  grids: Grid[];
}

export interface Conclusion {
  metric: string;
  better: string;
  worse: string;
  holds: "every judge" | "some judges" | "no judge";
  judges_for: string;
  clear_for: string;
  sentence: string;
}

export interface Remark {
  task: string;
  reason: string;
}

export interface Judge {
  name: string;
  short: string;
}

export interface OverviewData {
  title: string;
  models: number;
  cases: number;
  seed: number;
  version: string;
  id: string;
  judges: Judge[];
  left_out: Remark[];
  skipped: Remark[];
  notes: string[];
  failures: Record<string, number>;
  main: MainTable;
  caption: string;
  rank_notes: string[];
  conclusions: Conclusion[];
  family_note: string;
  figures: Drawing[];
  sections: Section[];
  signature: Record<string, unknown>;
}

export interface Contested {
  step: string;
  case: string;
  model: string;
  about: string;
  truth: string;
  text: string;
  disagreement: number;
  votes: { judge: string; words: string; status: string; why: string }[];
}

export interface Confusion {
  step: string;
  first: string;
  second: string;
  labels: string[];
  counts: number[][];
  n: number;
  same: number;
  measure: string;
  agreement: string;
}

export interface PeopleData {
  people: string[];
  pairs: Confusion[];
  agreement: Grid[];
  notes: string[];
  differ: number;
  unused: number;
}

export interface JudgesData {
  judges: Judge[];
  notes: string[];
  conclusions: Conclusion[];
  family_note: string;
  families: Grid[];
  pairs: Confusion[];
  figures: Drawing[];
  contested: Contested[];
  left: number;
  swap: Grid[];
  agreement: Grid[];
}

/** A case inside a self-contained report; see evaluation/report/case_pages.py. */
export interface CaseLine {
  place: number;
  id: string;
}

export interface SamplesData {
  cases: CaseLine[];
  images_left_out: number;
}

export interface Moved {
  metric: string;
  model: string;
  judge: string;
  second_judge: string;
  first: number | null;
  second: number | null;
  change: number | null;
  first_n: number;
  second_n: number;
  changed: number;
  shared: number;
}

export interface Comparison {
  first: string;
  second: string;
  differences: { kind: string; name: string; first: string | null; second: string | null }[];
  moved: Moved[];
  cases: { unit: string; metric: string; model: string; judge: string; first: string; second: string }[];
  changed: number;
  only_first: string[];
  only_second: string[];
}
