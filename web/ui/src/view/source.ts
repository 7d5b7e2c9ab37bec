import { get } from "../common/api";
import { type Loaded, useLoaded } from "../common/useLoaded";
import { answer } from "./answers";
import { offline } from "./packed";

/** The data of a path such as "overview?run=0", from the document or from the server. */
export async function load<T>(path: string, signal?: AbortSignal): Promise<T> {
  return offline ? answer<T>(path) : get<T>(path, signal);
}

/** Load a path, again whenever it changes; the last value stays until the next is there. */
export function useData<T>(path: string | null): Loaded<T> {
  return useLoaded<T>(path, load);
}
