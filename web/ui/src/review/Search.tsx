import { useEffect, useState } from "preact/hooks";
import { Failure } from "../common/Failure";
import { query } from "../common/api";
import { useLoaded } from "../common/useLoaded";
import { Words } from "../common/Words";
import type { Named } from "./types";

const WAIT = 150; // milliseconds after the last key

interface Found extends Named {
  why: string;
}

/** A search in the release: "/" goes to it, arrows and Enter pick a code, Escape leaves. */
export function Search(props: { onPick: (code: Named) => void }) {
  const [words, setWords] = useState("");
  const [asked, setAsked] = useState("");
  const [at, setAt] = useState(0);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(words.trim()), WAIT);
    return () => clearTimeout(timer);
  }, [words]);
  const { value, fault, loading } = useLoaded<Found[]>(
    asked ? `review/search${query({ words: asked })}` : null,
  );
  useEffect(() => setAt(0), [value]);
  const found = asked ? (value ?? []) : [];
  const isOld = loading || asked !== words.trim();
  const leave = () => {
    setWords("");
    setAsked("");
    document.getElementById("search")?.blur();
  };
  const pick = (code: Named) => {
    leave();
    props.onPick(code);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setAt((last) => Math.max(0, Math.min(found.length - 1, last + step)));
    else if (event.key === "Escape") leave();
    else if (event.key === "Enter" && !isOld) {
      const code = found[at];
      if (code) pick(code);
    } else return;
    event.preventDefault();
  };
  return (
    <div class="search">
      <label>
        Search the release{" "}
        <input
          id="search"
          value={words}
          role="combobox"
          aria-expanded={found.length > 0}
          aria-controls="found"
          aria-activedescendant={found.length ? `found-${at}` : undefined}
          placeholder="words or a code"
          onInput={(event) => setWords(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </label>
      {fault ? <Failure fault={fault} /> : null}
      {found.length ? (
      <div class="options" id="found" role="listbox" aria-label="Codes found">
        {found.map((one, place) => (
          <div
            key={one.code}
            id={`found-${place}`}
            role="option"
            aria-selected={place === at}
            class={`option${place === at ? " at" : ""}`}
            onClick={() => pick(one)}
          >
            <span class="code">{one.code}</span>
            <span class="what">
              <Words>{one.name}</Words>
              <span class="quiet why">
                <Words>{one.why}</Words>
              </span>
            </span>
          </div>
        ))}
      </div>
      ) : null}
      <p class="quiet none" role="status">
        {asked && !isOld && !found.length ? "Nothing is found." : ""}
      </p>
    </div>
  );
}
