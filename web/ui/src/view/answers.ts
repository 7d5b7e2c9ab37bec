import type { CaseView } from "./case";
import type { Row } from "./Cases";
import type { Found } from "./Filters";
import { facets, groupPrefix, ranges } from "./filters";
import { counted } from "./names";
import { inside } from "./packed";
import { prepare, rowsWith } from "./searched";
import type { SamplesData } from "./shapes";
import { casesOf, type Column, type Table } from "./table";

// A report answers the questions of the page "Cases" itself, as evaluation/pages/wanted.py does.

type Test = (at: number) => boolean;

/** The data of a path, as the server would answer it. */
export async function answer<T>(path: string): Promise<T> {
  const [name, search] = path.split("?");
  const wanted = new URLSearchParams(search);
  if (name === "found") return (await found(wanted)) as T;
  if (name === "rows") return (await rows(wanted)) as T;
  if (name === "case") return (await oneCase(wanted)) as T;
  return inside<T>(path);
}

const tableInside = () => inside<Table>("table?run=0");

async function found(wanted: URLSearchParams): Promise<Found> {
  const table = await tableInside();
  const tests = await testsOf(table, wanted);
  const all = passing(table, tests);
  prepare(table);
  const others = (name: string) => (tests.has(name) ? passing(table, tests, name) : all);
  const groups = Object.keys(table.groups).map((name) => groupPrefix + name);
  const metric = wanted.get("metric") ?? "";
  return {
    total: all.length,
    of: table.row.length,
    cases: new Set(all.map((at) => casesOf(table)[at])).size,
    facets: Object.fromEntries(
      [...Object.keys(facets), ...groups].map((name) => [name, counts(table, name, others(name))]),
    ),
    metrics: Object.keys(table.scores).sort(),
    spans: Object.fromEntries(Object.keys(ranges).map((name) => [name, span(numbers(table, name, metric))])),
    left_out: leftOut(table, tests, metric),
  };
}

async function rows(wanted: URLSearchParams): Promise<Row[]> {
  const table = await tableInside();
  const first = Number(wanted.get("first") ?? 0);
  const some = (await inOrder(table, wanted)).slice(first, first + Number(wanted.get("count") ?? 100));
  const score = numbers(table, "score", wanted.get("metric") ?? "");
  const value = (name: string, at: number) => table.values[name]![table.codes[name]![at]!]!;
  return some.map((at) => ({
    row: table.row[at]!,
    case: value("case", at),
    model: value("model", at),
    judge: value("judge", at),
    task: value("task", at),
    place: table.place[at]!,
    status: value("status", at),
    right: value("right", at),
    verdict: table.verdict[at]!,
    score: score[at] ?? null,
    cost: table.cost[at] ?? null,
    seconds: table.seconds[at] ?? null,
    repairs: table.repairs[at]!,
    judges: value("judges", at),
  }));
}

/** A case beside those of the wanted rows. */
async function oneCase(wanted: URLSearchParams): Promise<CaseView> {
  const id = wanted.get("id");
  const { cases } = await inside<SamplesData>("samples?run=0");
  const line = cases.find((one) => one.id === id);
  const value = await inside<CaseView>(`case?run=0&place=${line?.place ?? "none"}`);
  const table = await tableInside();
  const firsts = new Set((await inOrder(table, wanted)).map((at) => casesOf(table)[at]!));
  const order = [...firsts].map((code) => table.values.case![code]!);
  const at = order.indexOf(value.id);
  return { ...value, at: at + 1, of: order.length, before: order[at - 1] ?? "", after: at < 0 ? "" : (order[at + 1] ?? "") };
}

/** For each filter that is set, which rows pass it alone. */
async function testsOf(table: Table, wanted: URLSearchParams): Promise<Map<string, Test>> {
  const tests = new Map<string, Test>();
  const metric = wanted.get("metric") ?? "";
  for (const name of new Set(wanted.keys())) {
    if (name in facets) tests.set(name, among(table, name, wanted.getAll(name)));
    else if (name.startsWith(groupPrefix)) tests.set(name, ofGroup(table, name, wanted.getAll(name)));
    else if (name in ranges) tests.set(name, within(numbers(table, name, metric), wanted.get(name)!));
  }
  const words = wanted.get("q")?.trim();
  if (words) {
    const hits = await rowsWith(words, table);
    tests.set("q", (at) => hits.has(at));
  }
  return tests;
}

function among(table: Table, name: string, values: string[]): Test {
  const codes = table.codes[name]!;
  const chosen = table.values[name]!.map((value) => values.includes(value));
  return (at) => chosen[codes[at]!]!;
}

function ofGroup(table: Table, name: string, values: string[]): Test {
  const byValue = table.groups[name.slice(groupPrefix.length)] ?? {};
  const cases = new Set(values.flatMap((value) => byValue[value] ?? []));
  return (at) => cases.has(casesOf(table)[at]!);
}

function within(column: Column, text: string): Test {
  const [low = "", high = ""] = text.split("..");
  return (at) => {
    const number = column[at] ?? null;
    return number !== null && (!low || number >= Number(low)) && (!high || number <= Number(high));
  };
}

function numbers(table: Table, name: string, metric: string): Column {
  if (name === "cost" || name === "seconds") return table[name];
  return metric ? (table.scores[metric] ?? []) : table.score;
}

/** The rows that pass every test but one. */
function passing(table: Table, tests: Map<string, Test>, without = ""): number[] {
  const others = [...tests].filter(([name]) => name !== without).map(([, test]) => test);
  const passed: number[] = [];
  for (let at = 0; at < table.row.length; at++) if (others.every((test) => test(at))) passed.push(at);
  return passed;
}

function counts(table: Table, name: string, places: number[]): { value: string; count: number }[] {
  if (!name.startsWith(groupPrefix)) {
    const sums = table.values[name]!.map(() => 0);
    for (const at of places) sums[table.codes[name]![at]!]! += 1;
    return table.values[name]!.map((value, code) => ({ value, count: sums[code]! }));
  }
  const sums = table.values.case!.map(() => 0);
  for (const at of places) sums[casesOf(table)[at]!]! += 1;
  return Object.entries(table.groups[name.slice(groupPrefix.length)]!).map(([value, cases]) => ({
    value,
    count: cases.reduce((sum, code) => sum + sums[code]!, 0),
  }));
}

function span(column: Column): [number, number] | null {
  const known = column.filter((one) => one !== null);
  if (!known.length) return null;
  return known.reduce<[number, number]>(([low, high], one) => [Math.min(low, one), Math.max(high, one)], [
    Infinity,
    -Infinity,
  ]);
}

const unknown: Record<string, string> = { score: "score", cost: "known cost", seconds: "measured time" };

/** How many rows a range leaves out only because they have no value. */
function leftOut(table: Table, tests: Map<string, Test>, metric: string): string[] {
  return Object.keys(ranges).flatMap((name) => {
    if (!tests.has(name)) return [];
    const column = numbers(table, name, metric);
    const count = passing(table, tests, name).filter((at) => (column[at] ?? null) === null).length;
    return count ? [`${counted.format(count)} ${count === 1 ? "row" : "rows"} without a ${unknown[name]}`] : [];
  });
}

/** The wanted rows in the wanted order. Rows without a value come last, equal ones keep their order. */
async function inOrder(table: Table, wanted: URLSearchParams): Promise<number[]> {
  const places = passing(table, await testsOf(table, wanted));
  const sort = wanted.get("sort") ?? "";
  if (!sort) return places;
  const name = sort.replace(/^-/, "");
  const key = name in ranges ? numbers(table, name, wanted.get("metric") ?? "") : alphabetical(table, name);
  const sign = sort === name ? 1 : -1;
  return places.sort((a, b) => {
    const [x, y] = [key[a] ?? null, key[b] ?? null];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return sign * (x - y);
  });
}

function alphabetical(table: Table, name: string): Column {
  const values = table.values[name]!;
  const places = new Map([...values].sort().map((value, place) => [value, place]));
  return table.codes[name]!.map((code) => places.get(values[code]!)!);
}
