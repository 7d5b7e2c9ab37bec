import type { CaseView, Exchange, Verdict } from "./case";
import { inside, unpacked } from "./packed";
import type { SamplesData } from "./shapes";
import { casesOf, type Table } from "./table";

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
  const rowsOf = cases.map((): number[] => []);
  casesOf(table).forEach((code, at) => rowsOf[code]!.push(at));
  const texts: Texts[] = [];
  let free = 0; // until when the page has nothing else to do
  // One after the other: the text of all blocks at once would be several times the file.
  for (const [code, { place }] of cases.entries()) {
    if (!isAwaited && performance.now() >= free) free = await idle();
    texts.push(await readOne(table, place, rowsOf[code]!));
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

async function readOne(table: Table, place: number, rows: number[]): Promise<Texts> {
  const path = `case?run=0&place=${place}`;
  const block = await unpacked(path);
  const view = block[path] as CaseView;
  const texts = new Map<string, number[]>(); // each once: judges of an item get the same messages
  const note = (text: string, of: number[]) => {
    const known = texts.get(text);
    if (known) known.push(...of);
    else texts.set(text, [...of]);
  };
  note(ofCase(view), rows);
  const at = new Map(rows.map((one) => [table.row[one]!, one]));
  for (const model of view.models) {
    const own = rows.filter((one) => table.values.model![table.codes.model![one]!] === model.model);
    const responseOf = new Map(model.verdicts.map((one) => [at.get(one.row)!, one.response]));
    model.responses.forEach((one, response) => {
      const its = own.filter((row) => (responseOf.get(row) ?? 0) === response);
      note(joined([one.text.map((piece) => piece.text).join(""), one.answer]), its);
    });
    note(joined(model.diagnoses.map((one) => one.text)), own);
    for (const verdict of model.verdicts) {
      const here = [at.get(verdict.row)!];
      note(ofVerdict(verdict), here);
      for (const text of ofExchange(block[`exchange?run=0&row=${verdict.row}`] as Exchange)) note(text, here);
    }
  }
  return [...texts].map(([text, its]) => [text.toLowerCase(), its]);
}

const joined = (parts: string[]) => parts.filter(Boolean).join("\n");

function ofCase(view: CaseView): string {
  const [text, reference] = [view.text, view.reference].map((one) => one.map((piece) => piece.text).join(""));
  const truth = view.truth.map((one) => one.text);
  return joined([view.id, text!, view.question, ...Object.values(view.options), view.answer, reference!, ...truth, ...view.criteria]);
}

function ofVerdict(verdict: Verdict): string {
  const parts = verdict.parts.flatMap((one) => [one.verdict, one.words]);
  return joined([verdict.reason, verdict.said, ...parts, ...verdict.quotes.flatMap((one) => [one.text, one.note])]);
}

function ofExchange(sent: Exchange): string[] {
  const attempts = sent.attempts.flatMap((one) => [one.text, one.error]);
  return [sent.system, sent.user, joined([sent.reply, ...attempts])];
}
