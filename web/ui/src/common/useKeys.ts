import { useEffect, useRef } from "preact/hooks";

/** Where keys write or choose; a checkbox takes the space bar alone. */
export const FIELDS = "input:not([type=checkbox]), textarea, select, [contenteditable]";

/** After a click the keys belong to the page again; a button that was reached by keys keeps them. */
export function letGo(event: MouseEvent): void {
  if (event.detail > 0) (event.currentTarget as HTMLElement).blur();
}

/**
 * Call `keys[key]` for a key pressed outside a field; with a modifier it stays the browser's.
 * Where several parts of a page want a key, the part that was there first has it.
 */
export function useKeys(keys: Record<string, () => void>): void {
  // The keys of the last drawing, so that a key right after another one finds them.
  const now = useRef(keys);
  now.current = keys;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement | null;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (target?.matches(FIELDS)) return;
      // A button that has the focus keeps the keys that press it.
      if (/^(Enter| )$/.test(event.key) && target?.matches("button, a, summary")) return;
      const act = now.current[event.key];
      if (act) {
        event.preventDefault();
        act();
      }
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}
