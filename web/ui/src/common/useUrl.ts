import { useCallback, useEffect, useState } from "preact/hooks";

export type UrlState = Record<string, string>;

function read(): UrlState {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

/**
 * The state that the address holds behind "#", so that every state of a page has a link.
 * `replace`: without an entry of its own in the browser's history (typing into a search field).
 */
export function useUrl(): [UrlState, (change: UrlState, replace?: boolean) => void] {
  const [state, setState] = useState(read);
  const [drawn] = useState(() => location.hash);
  useEffect(() => {
    const listen = () => setState(read());
    addEventListener("hashchange", listen);
    // The address may have changed between the first drawing and this.
    if (location.hash !== drawn) listen();
    return () => removeEventListener("hashchange", listen);
  }, []);
  const change = useCallback((values: UrlState, replace = false) => {
    const next = Object.entries({ ...read(), ...values }).filter(([, value]) => value !== "");
    const address = `#${new URLSearchParams(next)}`;
    if (replace) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
    // Without this event the other parts of the page, which hold the same state, would not know.
    dispatchEvent(new HashChangeEvent("hashchange"));
  }, []);
  return [state, change];
}
