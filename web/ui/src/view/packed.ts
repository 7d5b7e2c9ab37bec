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
  const bytes = Uint8Array.from(atob(block), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return (await new Response(stream).json()) as Record<string, unknown>;
}
