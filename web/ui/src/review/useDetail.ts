import { useCallback, useMemo, useRef } from "preact/hooks";
import { get, query } from "../common/api";
import type { Candidates, Detail } from "./types";

const KEPT = 40;

export interface Details {
  row: (id: string, fresh?: boolean) => Promise<Detail>;
  candidates: (id: string) => Promise<Candidates>;
  /** Forget a row, so that it is asked for again. */
  forget: (id: string) => void;
}

/** Rows and candidates, asked for once, also ahead of the reviewer. */
export function useDetails(me: string): Details {
  const rows = useRef(new Map<string, Promise<Detail>>());
  const lists = useRef(new Map<string, Promise<Candidates>>());
  const row = useCallback(
    (id: string, fresh = false) =>
      kept(rows.current, id, fresh, () => get<Detail>(`review/row/${id}${query({ me })}`)),
    [me],
  );
  const candidates = useCallback((id: string) => {
    const list = kept(lists.current, id, false, () => get<Candidates>(`review/candidates/${id}`));
    // Candidates that were not there yet are asked for again.
    void list.then((value) => value.state === "loading" && lists.current.delete(id));
    return list;
  }, []);
  const forget = useCallback((id: string) => void rows.current.delete(id), []);
  return useMemo(() => ({ row, candidates, forget }), [row, candidates, forget]);
}

function kept<T>(
  known: Map<string, Promise<T>>,
  id: string,
  fresh: boolean,
  ask: () => Promise<T>,
): Promise<T> {
  const before = known.get(id);
  if (before && !fresh) return before;
  const value = ask();
  known.set(id, value);
  value.catch(() => known.delete(id));
  for (const old of [...known.keys()].slice(0, -KEPT)) known.delete(old);
  return value;
}
