import { useEffect, useState } from "preact/hooks";
import { get } from "./api";

export interface Loaded<T> {
  value?: T;
  fault?: unknown;
  loading: boolean;
}

/** Load a path of the API, again whenever it changes; the last value stays until the next is there. */
export function useLoaded<T>(path: string | null): Loaded<T> {
  const [state, setState] = useState<Loaded<T>>({ loading: path !== null });
  useEffect(() => {
    if (path === null) return;
    const abort = new AbortController();
    setState((last) => ({ ...last, loading: true }));
    get<T>(path, abort.signal).then(
      (value) => setState({ value, loading: false }),
      (fault: unknown) => {
        if (!abort.signal.aborted) setState((last) => ({ ...last, fault, loading: false }));
      },
    );
    return () => abort.abort();
  }, [path]);
  return state;
}
