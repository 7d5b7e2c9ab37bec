import type { SamplesData } from "./shapes";

// What a self-contained report has inside its document.

// <script type="application/json" id="data"> holds an object, path -> value. Pages of a server have none.
const embedded = readEmbedded("data");
// Beside it stand blocks of further data: the path of one unpacks several (report/case_pages.py).
const packed = readEmbedded("packed") as Record<string, string> | null;

/** Whether this page has its data inside and asks no server. */
export const offline = embedded !== null;

function readEmbedded(id: string): Record<string, unknown> | null {
  const element = document.getElementById(id);
  return element ? (JSON.parse(element.textContent ?? "{}") as Record<string, unknown>) : null;
}

/** Whether the data of a path can be had at all: a report leaves some of them out. */
export function has(path: string): boolean {
  return embedded === null || path in embedded || Object.keys(embedded).some((one) => one.startsWith(`${path}?`));
}

/** Whether a case can be shown: a report has some of them. */
export function hasCase(id: string): boolean {
  const samples = embedded?.["samples?run=0"] as SamplesData | undefined;
  return embedded === null || (samples?.cases.some((one) => one.id === id) ?? false);
}

/** The texts of a case, each once, and for each row on it: the row, and the places of its texts. */
export interface CaseTexts {
  texts: string[];
  rows: number[][];
}

/** The path of the texts of a case, by the place of the case. */
export const textsOf = (place: string | number) => `texts?run=0&place=${place}`;

/** The data of a path inside the document; its block stays unpacked. */
export async function inside<T>(path: string): Promise<T> {
  if (!embedded) throw new Error("This page has no data inside.");
  if (!(path in embedded)) Object.assign(embedded, await unpacked(path));
  if (path in embedded) return embedded[path] as T;
  throw new Error("This report leaves this out; dxjudge view shows it.");
}

/** The data of a block by their paths; nothing where a report has no such block. */
export async function unpacked(path: string): Promise<Record<string, unknown>> {
  const block = packed?.[path];
  if (block === undefined) return {};
  const stream = new DecompressionStream("deflate");
  const writer = stream.writable.getWriter(); // a Blob would be sent to another process first
  const written = writer.write(bytesOf(block)).then(() => writer.close());
  const data = (await new Response(stream.readable).json()) as Record<string, unknown>;
  await written;
  return path.startsWith("case?") ? withTexts(path, data) : data;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const signs = atob(base64);
  const bytes = new Uint8Array(signs.length);
  for (let at = 0; at < signs.length; at++) bytes[at] = signs.charCodeAt(at); // Uint8Array.from is far slower
  return bytes;
}

type Told = Record<string, string | number>;

/** A case whose exchanges have their texts instead of the places of these (report/case_texts.py). */
async function withTexts(path: string, data: Record<string, unknown>): Promise<Record<string, unknown>> {
  const place = textsOf(new URLSearchParams(path.split("?")[1]).get("place") ?? "");
  const { texts } = (await unpacked(place))[place] as CaseTexts;
  const put = (told: Told, names: string[]) => {
    for (const name of names) told[name] = texts[told[name] as number]!;
  };
  for (const [name, value] of Object.entries(data)) {
    if (!name.startsWith("exchange?")) continue;
    put(value as Told, ["system", "user", "reply"]);
    for (const attempt of (value as { attempts: Told[] }).attempts) put(attempt, ["text", "error"]);
  }
  return data;
}
