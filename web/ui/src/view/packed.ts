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
  const { texts, ...data } = (await new Response(stream.readable).json()) as Record<string, unknown>;
  await written;
  if (texts) putIn(texts as string[], data);
  return data;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const signs = atob(base64);
  const bytes = new Uint8Array(signs.length);
  for (let at = 0; at < signs.length; at++) bytes[at] = signs.charCodeAt(at); // Uint8Array.from is far slower
  return bytes;
}

/** Exchanges name their messages by places in the texts of their case, each of which stands in it once. */
function putIn(texts: string[], data: Record<string, unknown>): void {
  for (const [path, value] of Object.entries(data)) {
    if (!path.startsWith("exchange?")) continue;
    const sent = value as Record<"system" | "user", string | number>;
    for (const name of ["system", "user"] as const) sent[name] = texts[sent[name] as number]!;
  }
}
