export interface Setup {
  reviewer: string;
  /** Who decided rows before. */
  reviewers: string[];
  blind: boolean;
  share: [number, number];
  release: string;
  carried: boolean;
  mapper_fault: string;
}

export interface Changes {
  number: string;
  texts: number;
  fault: string;
  mapper: "loading" | "ready" | "failed";
}

export type Band = "exact" | "high" | "medium" | "low" | "unmapped" | "failed";
export type State = "open" | "reviewed" | "accepted";

export interface Brief {
  id: string;
  text: string;
  rows: number;
  code: string;
  name: string;
  score: number;
  band: Band;
  state: State;
  reviewer: string;
  fault: string;
  /** Who flagged the row, "" for nobody. */
  flagged: string;
}

export interface Named {
  code: string;
  name: string;
}

export interface Act {
  time: string;
  reviewer: string;
  act: string;
  code: string;
  additional_codes: string;
  note: string;
}

export interface Detail extends Brief {
  version: string;
  computed: string;
  category_score: number;
  decided_by: string;
  term: string;
  source: string;
  reason: string;
  note: string;
  additional: Named[];
  other: Record<string, string>;
  earlier: { code: string; fate: string; why: string } | null;
  samples: string[];
  reviews: Act[];
  history: Act[];
}

export interface Candidate extends Named {
  term: string;
  source: string;
  score: number;
  why: string;
}

export interface Candidates {
  state: "loading" | "ready" | "failed";
  fault?: string;
  code?: string | null;
  reason?: string;
  parts?: string[];
  additional?: { code: string; name: string; why: string }[];
  candidates: Candidate[];
}

export interface TreeCode extends Named {
  kind: string;
  is_code: boolean;
  billable: boolean;
}

export interface Place extends TreeCode {
  ancestors: TreeCode[];
  siblings: TreeCode[];
  more_siblings: number;
  children: TreeCode[];
  more_children: number;
  notes: Record<string, string[]>;
}

/** What the reviewer is about to save for a row. */
export interface Draft {
  code: string;
  name: string;
  additional: Named[];
  note: string;
}

/** A code to pick, with the words that stand beside it. */
export interface Option extends Named {
  group: string;
  why: string;
  /** The digit that picks it, "" for none. */
  digit: string;
}

export interface Limits {
  value: number | null;
  low: number | null;
  high: number | null;
  warning: string | null;
}
