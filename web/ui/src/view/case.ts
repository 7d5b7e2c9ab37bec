/** A case as the server tells it; see evaluation/pages/case_view.py. */
export interface Segment {
  text: string;
  notes: string[];
}
export interface Prediction {
  model: string;
  kind: string;
  place: number;
  text: string;
  status: string;
  code: string;
  name: string;
  decided_by: string;
  coded_by: string;
  reason: string;
}
export interface Part {
  part: string;
  verdict: string;
  words: string;
}
export interface Quote {
  source: string;
  text: string;
  note: string;
  invented: boolean;
}
export interface Verdict {
  row: number;
  task: string;
  judge: string;
  place: number;
  response: number;
  status: string;
  reason: string;
  right: string;
  said: string;
  parts: Part[];
  quotes: Quote[];
  decided_by: string;
  repairs: number;
  cost: number | null;
  seconds: number | null;
  people: { person: string; said: string; parts: Part[] }[];
  votes: { judge: string; said: string }[];
}
export interface ModelView {
  model: string;
  responses: { about: string; text: Segment[]; answer: string }[];
  diagnoses: Prediction[];
  verdicts: Verdict[];
}
export interface TreeNode {
  code: string;
  name: string;
  level: string;
  truth: boolean;
  models: string[];
  below: TreeNode[];
}
export interface Tree {
  release: string;
  roots: TreeNode[];
  levels: string[];
  of: number[];
  hits: { model: string; hits: number[] }[];
  absent: string[];
}
export interface CaseView {
  id: string;
  place: number;
  groups: Record<string, string[]>;
  text: Segment[];
  images: { name: string; is_address: boolean }[];
  question: string;
  options: Record<string, string>;
  answer: string;
  reference: Segment[];
  truth: Prediction[];
  criteria: string[];
  models: ModelView[];
  tree: Tree | null;
  at: number;
  of: number;
  before: string;
  after: string;
  notes: string[];
}
export interface Exchange {
  system: string;
  user: string;
  images: string[];
  attempts: {
    at: string;
    turn: number;
    attempt: number;
    method: string;
    status: string;
    text: string;
    error: string;
    seconds: number | null;
    cost: number | null;
  }[];
  reply: string;
  notes: string[];
}
