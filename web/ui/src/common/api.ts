/** A request that the server refused, with its sentence. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

async function ask<T>(path: string, init: RequestInit): Promise<T> {
  let reply: Response;
  try {
    reply = await fetch(`api/${path}`, { credentials: "same-origin", ...init });
  } catch (fault) {
    if (fault instanceof DOMException && fault.name === "AbortError") throw fault;
    throw new Refused("The dxjudge command behind this page no longer answers. Start it again.", 0);
  }
  const text = await reply.text();
  if (!reply.ok) throw new Refused(sentence(text, reply.status), reply.status);
  return JSON.parse(text) as T;
}

function sentence(text: string, status: number): string {
  try {
    const error = (JSON.parse(text) as { error?: unknown }).error;
    if (typeof error === "string") return error;
  } catch {
    // The body is not JSON; the status says what is known.
  }
  return `The server answered with ${status}.`;
}

/** The query string of values; empty ones are left out. */
export function query(values: Record<string, string | number | boolean | undefined>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== "" && value !== false) search.set(name, String(value));
  }
  const text = search.toString();
  return text ? `?${text}` : "";
}

export function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return ask<T>(path, signal ? { signal } : {});
}

export function send<T>(path: string, body: unknown): Promise<T> {
  const headers = { "content-type": "application/json" };
  return ask<T>(path, { method: "POST", headers, body: JSON.stringify(body) });
}
