import { type CaseTexts, inside, textsOf, unpacked } from "./packed";
import type { SamplesData } from "./shapes";
import type { Table } from "./table";

/** The texts of a case in small letters, and the rows that have each of them. */
type Texts = [text: string, rows: number[]][];

let read: Promise<Texts[]> | undefined;
let isAwaited = false; // whether somebody waits for the texts

/** Read the texts while the page has nothing else to do, so that the first search finds them. */
export function prepare(table: Table): void {
  read ??= readAll(table);
  // A fault is told by the search that needs the texts; the next one reads them again.
  read.catch(() => (read = undefined));
}

/** The rows with these words, as they stand, in any of their texts: those of their case too. */
export async function rowsWith(words: string, table: Table): Promise<Set<number>> {
  isAwaited = true;
  prepare(table);
  const wanted = words.toLowerCase();
  const found = new Set<number>();
  for (const texts of await read!) {
    for (const [text, rows] of texts) {
      if (text.includes(wanted)) for (const at of rows) found.add(at);
    }
  }
  return found;
}

async function readAll(table: Table): Promise<Texts[]> {
  const { cases } = await inside<SamplesData>("samples?run=0");
  const placeOf = new Map(table.row.map((row, at) => [row, at]));
  const texts: Texts[] = [];
  let free = 0; // until when the page has nothing else to do
  for (const { place } of cases) {
    if (!isAwaited && performance.now() >= free) free = await idle();
    const path = textsOf(place);
    texts.push(byText((await unpacked(path))[path] as CaseTexts, placeOf));
  }
  return texts;
}

/** Resolves when the page has nothing else to do, or soon where it never has, with the end of that time. */
function idle(): Promise<number> {
  return new Promise((resolve) => {
    // Safari has no requestIdleCallback.
    if (typeof requestIdleCallback === "undefined") setTimeout(() => resolve(performance.now()), 5);
    else requestIdleCallback((left) => resolve(performance.now() + left.timeRemaining()), { timeout: 100 });
  });
}

function byText({ texts, rows }: CaseTexts, placeOf: Map<number, number>): Texts {
  const having = texts.map((): number[] => []);
  for (const [row, ...places] of rows) for (const one of places) having[one]!.push(placeOf.get(row!)!);
  return texts.map((text, one) => [text.toLowerCase(), having[one]!]);
}
