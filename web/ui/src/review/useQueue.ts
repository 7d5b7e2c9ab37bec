import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { get, query } from "../common/api";
import type { Brief } from "./types";

const PAGE = 100;

export interface Queue {
  count: number;
  loading: boolean;
  fault?: unknown;
  rowAt: (place: number) => Brief | undefined;
  onShown: (first: number, last: number) => void;
  /** Load again what is on the screen, since rows changed. */
  renew: () => void;
  /** Make the queue again: rows that were decided or added move. */
  reload: () => void;
  /** The row at a place, loaded if need be; undefined behind the end. */
  find: (place: number) => Promise<Brief | undefined>;
  /** Where a row stands in the list; null where it is not in it. */
  placeOf: (id: string) => Promise<number | null>;
}

interface Made {
  queue: string;
  count: number;
}

/** An order of rows that the server keeps, of which pages are loaded as they are shown. */
export function useQueue(filters: Record<string, string>, me: string): Queue {
  const [made, setMade] = useState<Made>();
  const [fault, setFault] = useState<unknown>();
  const [loading, setLoading] = useState(true);
  const [again, setAgain] = useState(0);
  const [, redraw] = useState(0);
  const pages = useRef(new Map<number, (Brief | null)[]>());
  const asked = useRef(new Map<number, Promise<void>>());
  const shown = useRef<[number, number]>([0, 0]);
  const current = useRef(""); // an answer about another queue comes too late
  const path = `review/queue${query({ ...filters, me })}`;

  useEffect(() => {
    const abort = new AbortController();
    setLoading(true);
    get<Made>(path, abort.signal).then(
      (value) => {
        pages.current = new Map();
        asked.current = new Map();
        current.current = value.queue;
        setMade(value);
        setFault(undefined);
        setLoading(false);
      },
      (problem: unknown) => {
        if (!abort.signal.aborted) {
          setFault(problem);
          setLoading(false);
        }
      },
    );
    return () => abort.abort();
  }, [path, again]);

  const load = useCallback(
    (page: number, fresh = false): Promise<void> => {
      if (!made || current.current !== made.queue) return Promise.resolve();
      const before = asked.current.get(page);
      if (before && !fresh) return before;
      const part = query({ queue: made.queue, first: page * PAGE, count: PAGE, me });
      const loaded = get<{ rows: (Brief | null)[] }>(`review/rows${part}`).then(
        ({ rows }) => {
          if (current.current !== made.queue) return;
          pages.current.set(page, rows);
          redraw((last) => last + 1);
        },
        (problem: unknown) => {
          if (current.current !== made.queue) return;
          asked.current.delete(page);
          setFault(problem);
        },
      );
      asked.current.set(page, loaded);
      return loaded;
    },
    [made, me],
  );
  const rowAt = useCallback(
    (place: number) => pages.current.get(Math.floor(place / PAGE))?.[place % PAGE] ?? undefined,
    [],
  );
  const onShown = useCallback(
    (first: number, last: number) => {
      shown.current = [first, last];
      for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page++) {
        void load(page);
      }
    },
    [load],
  );
  const renew = useCallback(() => {
    const [first, last] = [shown.current[0], shown.current[1]].map((at) => Math.floor(at / PAGE));
    for (const page of asked.current.keys()) {
      if (page < (first ?? 0) || page > (last ?? 0)) asked.current.delete(page);
    }
    for (let page = first ?? 0; page <= (last ?? 0); page++) void load(page, true);
  }, [load]);
  const find = useCallback(
    async (place: number) => {
      if (!made || place < 0 || place >= made.count) return undefined;
      await load(Math.floor(place / PAGE));
      return rowAt(place);
    },
    [made, load, rowAt],
  );
  const placeOf = useCallback(
    async (id: string) => {
      if (!made) return null;
      return (await get<{ place: number | null }>(`review/place-of${query({ queue: made.queue, id })}`)).place;
    },
    [made],
  );
  const reload = useCallback(() => setAgain((last) => last + 1), []);
  return { count: made?.count ?? 0, loading, fault, rowAt, onShown, renew, reload, find, placeOf };
}
