import type { Answer, Path, Question, Value } from "./types";

export function valueAt(answer: unknown, path: Path): unknown {
  let value = answer;
  for (const step of path) value = (value as Record<string | number, unknown> | undefined)?.[step];
  return value;
}

/** The answer with another value at a path; what is on the way is made. */
export function withValue(answer: Answer, path: Path, value: unknown): Answer {
  return changed(answer, path, value) as Answer;
}

function changed(whole: unknown, path: Path, value: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  if (typeof first === "number") {
    const copy = Array.isArray(whole) ? [...whole] : [];
    copy[first] = changed(copy[first], rest, value);
    return copy;
  }
  const object = (whole ?? {}) as Answer;
  return { ...object, [first]: changed(object[first], rest, value) };
}

export function listAt(answer: Answer, path: Path): unknown[] {
  const value = valueAt(answer, path);
  return Array.isArray(value) ? value : [];
}

export interface Asked {
  question: Question;
  path: Path;
  /** The titles of the groups around it and its own. */
  titles: string[];
}

/** Every question that is no group, with its path; those of entries once for each entry. */
export function flat(questions: Question[], answer: Answer, above: Path = [], around: string[] = []): Asked[] {
  return questions.flatMap((question) => {
    const path = [...above, question.name];
    const titles = [...around, question.title];
    if (question.kind === "group") return flat(question.questions, answer, path, titles);
    if (question.kind !== "entries") return [{ question, path, titles }];
    const inside = listAt(answer, path).flatMap((_, place) =>
      flat(question.questions, answer, [...path, place], [...around, `${question.title} ${place + 1}`]),
    );
    return [{ question, path, titles }, ...inside];
  });
}

export function isAnswered({ question, path }: Asked, answer: Answer): boolean {
  const value = valueAt(answer, path);
  if (!question.needed) return true;
  if (value === null) return question.none;
  if (typeof value === "string") return value.trim() !== "" || question.kind === "choice";
  if (Array.isArray(value)) return value.length > 0 || question.none;
  return value !== undefined && !Number.isNaN(value);
}

export function firstOpen(questions: Question[], answer: Answer): Asked | undefined {
  return flat(questions, answer).find((one) => !isAnswered(one, answer));
}

/** The keys that choose the options of a question: digits, and the first letters of words. */
export function keysOf(question: Question): string[] {
  const labels = question.options.map((option) => option.label);
  if (labels.every((label) => /^[0-9.]+$/.test(label))) return digitsOf(labels);
  const firsts = labels.map((label) => label[0]?.toLowerCase() ?? "");
  const lettered = firsts.every((key) => /^[acdefginowxyz]$/.test(key));
  if (labels.length <= 3 && lettered && new Set(firsts).size === firsts.length) return firsts;
  return labels.map((_, place) => (place < 9 ? String(place + 1) : place === 9 ? "0" : ""));
}

/** A level of one digit has this digit as its key; 0.5 and 10 have their last one where it is free. */
function digitsOf(labels: string[]): string[] {
  const taken = new Set(labels.filter((label) => label.length === 1));
  return labels.map((label) => {
    if (label.length === 1) return label;
    const last = label.slice(-1);
    if (taken.has(last)) return "";
    taken.add(last);
    return last;
  });
}

/** The key for "none of them". */
export const NONE_KEY = "-";

export function chosen(question: Question, value: unknown, option: Value): unknown {
  if (question.kind === "choice") return option;
  const now = Array.isArray(value) ? (value as Value[]) : [];
  const next = now.includes(option) ? now.filter((one) => one !== option) : [...now, option];
  // Nothing is no answer yet: "none of them" is chosen by itself.
  if (next.length === 0) return undefined;
  return question.options.map((one) => one.value).filter((one) => next.includes(one));
}

export function sameAnswer(one: Path, other: Path | undefined): boolean {
  return other !== undefined && one.join("\u0000") === other.join("\u0000");
}
