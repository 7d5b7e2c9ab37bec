import { useRef } from "preact/hooks";
import type { UrlState } from "../common/useUrl";

const ORDERS = [
  ["doubt", "frequent and unsure first"],
  ["rows", "most frequent first"],
  ["score", "least sure first"],
  ["-score", "surest first"],
  ["text", "by text"],
  ["code", "by code"],
  ["file", "as in the file"],
] as const;
const STATES = [
  ["open", "open"],
  ["all", "all rows"],
  ["reviewed", "reviewed"],
  ["accepted", "accepted unseen"],
] as const;
const BANDS = ["exact", "high", "medium", "low", "unmapped", "failed"];

export function filtersOf(url: UrlState): Record<string, string> {
  const state = url.state ?? "open";
  return {
    order: url.order ?? "doubt",
    state: state === "all" ? "" : state,
    band: url.band ?? "",
    words: url.words ?? "",
    sample: url.sample ?? "",
    flagged: url.flagged ?? "",
    changed: url.changed ?? "",
    differs: url.differs ?? "",
  };
}

/** The filters of the queue, which the address holds. */
export function Filters(props: {
  url: UrlState;
  blind: boolean;
  carried: boolean;
  onChange: (change: UrlState, replace?: boolean) => void;
}) {
  const { url, onChange } = props;
  const isMouse = useRef(false); // whether the mouse was used last, not the keys
  const mark = (name: string, words: string) => (
    <label>
      <input
        type="checkbox"
        checked={url[name] === "true"}
        onChange={(event) => onChange({ [name]: event.currentTarget.checked ? "true" : "" })}
      />{" "}
      {words}
    </label>
  );
  return (
    <form
      class="filters"
      aria-label="Filters"
      onSubmit={(event) => event.preventDefault()}
      onPointerDown={() => (isMouse.current = true)}
      onKeyDown={() => (isMouse.current = false)}
      // After a choice by mouse the keys belong to the rows again; by keys one may go through all values.
      onChange={(event) => isMouse.current && (event.target as HTMLElement).blur()}
    >
      <input
        type="search"
        id="filter"
        aria-label="Text, name or code"
        placeholder="text, name or code"
        value={url.words ?? ""}
        onInput={(event) => onChange({ words: event.currentTarget.value }, true)}
        onKeyDown={(event) => {
          if (event.key === "Escape" || event.key === "Enter") event.currentTarget.blur();
        }}
      />
      <select
        aria-label="State"
        value={url.state ?? "open"}
        onChange={(event) => onChange({ state: event.currentTarget.value })}
      >
        {STATES.filter(([name]) => !props.blind || name !== "accepted").map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
      <select
        aria-label="Confidence"
        value={url.band ?? ""}
        onChange={(event) => onChange({ band: event.currentTarget.value })}
      >
        <option value="">any confidence</option>
        {BANDS.map((band) => (
          <option key={band}>{band}</option>
        ))}
      </select>
      <select
        aria-label="Order"
        value={url.order ?? "doubt"}
        onChange={(event) => onChange({ order: event.currentTarget.value })}
      >
        {ORDERS.map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
      {mark("flagged", "flagged")}
      {props.carried ? mark("changed", "changed release") : null}
      {props.blind ? null : mark("differs", "reviewers differ")}
      {url.sample ? (
        <button type="button" onClick={() => onChange({ sample: "" })}>
          sample {url.sample} ×
        </button>
      ) : null}
    </form>
  );
}
