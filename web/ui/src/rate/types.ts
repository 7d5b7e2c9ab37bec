export type Value = string | number | boolean;
export type Answer = Record<string, unknown>;
export type Status = "done" | "abstained" | "skipped" | "withdrawn";

export interface Option {
  value: Value;
  label: string;
  about: string;
}

export interface Question {
  name: string;
  kind:
    | "choice"
    | "choices"
    | "number"
    | "text"
    | "lines"
    | "quote"
    | "quotes"
    | "group"
    | "entries";
  title: string;
  about: string;
  options: Option[];
  least: number | null;
  most: number | null;
  needed: boolean;
  none: boolean;
  sources: string[];
  questions: Question[];
}

export interface Passage {
  name: string;
  title: string;
  text: string;
  items: string[] | null;
}

export interface Item {
  place: number;
  task: string;
  rules: string;
  material: Passage[];
  images: number;
  questions: Question[];
  may_abstain: boolean;
  status: Status | null;
  answer: Answer;
  note: string;
  seen: number;
}

export interface Overview {
  rater: string;
  statuses: (Status | null)[];
  raters: string[];
}

export interface Kept {
  seen: number;
  replaced: string;
  problems: string[];
}

/** A passage that a person has marked and not yet put anywhere. */
export interface Marked {
  source: string;
  text: string;
}

/** The way to a value inside an answer: names of fields and places of entries. */
export type Path = (string | number)[];
