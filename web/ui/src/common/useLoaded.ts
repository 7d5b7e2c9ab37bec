import { useEffect, useState } from "preact/hooks";
import { get } from "./api";

export interface Loaded<T> {
  value?: T;
  fault?: unknown;
  loading: boolean;
}

type Load = <T>(path: string, signal: AbortSignal) => Promise<T>;

/**
 * Load a path, again whenever it changes; the last value stays until the next is there.
 * `load`: from where; by default from the API.
 */
export function useLoaded<T>(path: string | null, load: Load = get): Loaded<T> {
  const [state, setState] = useState<Loaded<T>>({ loading: path !== null });
  useEffect(() => {
    if (path === null) return;
    const abort = new AbortController();
    setState((last) => ({ ...last, loading: true }));
    load<T>(path, abort.signal).then(
      (value) => setState({ value, loading: false }),
      (fault: unknown) => {
        if (!abort.signal.aborted) setState((last) => ({ ...last, fault, loading: false }));
      },
    );
    return () => abort.abort();
  }, [path, load]);
  return state;
}
