import { query } from "../common/api";
import type { UrlState } from "../common/useUrl";

/** The filters of values, in the order of the page; those of the cases' groups follow. */
export const facets: Record<string, string> = {
  model: "Model",
  judge: "Judge",
  task: "Step",
  right: "Right or wrong",
  status: "Outcome",
  judges: "The judges",
  people: "People and the judge",
  repaired: "Repaired",
};
export const ranges: Record<string, string> = {
  score: "Score",
  cost: "Cost in US dollars",
  seconds: "Seconds",
};
export const groupPrefix = "group.";

const isFilter = (name: string) =>
  name in facets || name in ranges || name.startsWith(groupPrefix) || ["q", "metric", "sort"].includes(name);

// Several values of a filter stand in one field of the address, a line each.
export function valuesOf(url: UrlState, name: string): string[] {
  const text = url[name];
  return text ? text.split("\n").map((one) => one.replace(/\\(n|\\)/g, (_, c) => (c === "n" ? "\n" : "\\"))) : [];
}

export function joined(values: string[]): string {
  return values.map((one) => one.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")).join("\n");
}

/** The query that the server reads, with a field for each value. */
export function serverQuery(url: UrlState, run: number, more: Record<string, string | number> = {}): string {
  const search = new URLSearchParams(query({ run, ...more }).slice(1));
  for (const [name, value] of Object.entries(url)) {
    if (!isFilter(name) || name in more) continue;
    const values = name in facets || name.startsWith(groupPrefix) ? valuesOf(url, name) : [value];
    for (const one of values) search.append(name, one);
  }
  return `?${search}`;
}

/** Every filter that is set, to be cleared at once. */
export function cleared(url: UrlState): UrlState {
  const names = Object.keys(url).filter((name) => isFilter(name) && name !== "sort" && name !== "metric");
  return Object.fromEntries(names.map((name) => [name, ""]));
}

/** The address of a state of the page. */
export function link(url: UrlState, change: UrlState): string {
  const next = Object.entries({ ...url, ...change }).filter(([, value]) => value !== "");
  return `#${new URLSearchParams(next)}`;
}
