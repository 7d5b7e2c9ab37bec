import { get } from "../common/api";
import { type Loaded, useLoaded } from "../common/useLoaded";

// The pages of a run have their data either from the server or, in a self-contained report, from
// the document: <script type="application/json" id="data"> holds an object, path -> value.
const embedded = readEmbedded("data");
// Beside it, a report has blocks of further data: the path of one unpacks several (case_pages.py).
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

/** The data of a path such as "overview?run=0", from the document or from the server. */
export async function load<T>(path: string, signal?: AbortSignal): Promise<T> {
  if (embedded === null) return get<T>(path, signal);
  if (!(path in embedded)) Object.assign(embedded, await unpacked(path));
  if (path in embedded) return embedded[path] as T;
  throw new Error("This report leaves this out; `dxjudge view` shows it.");
}

/** The data of a block by their paths; nothing where a report has no such block. */
export async function unpacked(path: string): Promise<Record<string, unknown>> {
  const block = packed?.[path];
  if (block === undefined) return {};
  const bytes = Uint8Array.from(atob(block), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return (await new Response(stream).json()) as Record<string, unknown>;
}

/** Load a path, again whenever it changes; the last value stays until the next is there. */
export function useData<T>(path: string | null): Loaded<T> {
  return useLoaded<T>(path, load);
}
