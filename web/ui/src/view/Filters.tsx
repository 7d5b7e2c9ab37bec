import { useEffect, useRef, useState } from "preact/hooks";
import type { UrlState } from "../common/useUrl";
import { Words } from "../common/Words";
import { facets, groupPrefix, joined, ranges, valuesOf } from "./filters";
import { counted, shown } from "./names";

interface ValueCount {
  value: string;
  count: number;
}

export interface Found {
  total: number;
  of: number;
  cases: number;
  facets: Record<string, ValueCount[]>;
  metrics: string[];
  spans: Record<string, [number, number] | null>;
  left_out: string[];
}

type Go = (change: UrlState, replace?: boolean) => void;
const FEW = 10;

export function Filters(props: { found: Found; url: UrlState; go: Go; names: Map<string, string> }) {
  const { found, url, go, names } = props;
  const groups = Object.keys(found.facets).filter((name) => name.startsWith(groupPrefix));
  const title = (name: string) => facets[name] ?? name.slice(groupPrefix.length);
  return (
    <details class="filters" open={matchMedia("(min-width: 800px)").matches}>
      <summary>Filters</summary>
      <search>
        <Search key={url.q ? "set" : "empty"} text={url.q ?? ""} onText={(q) => go({ q }, true)} />
        {[...Object.keys(facets), ...groups].map((name) => (
          <Facet
            key={name}
            title={title(name)}
            values={found.facets[name] ?? []}
            chosen={valuesOf(url, name)}
            shownAs={(value) => (name === "judge" ? (names.get(value) ?? value) : value)}
            onChoose={(values) => go({ [name]: joined(values) })}
          />
        ))}
        <label class="field">
          Score of
          <select value={url.metric ?? ""} onChange={(e) => go({ metric: e.currentTarget.value, score: "" })}>
            <option value="">the verdict as a number</option>
            {found.metrics.map((metric) => (
              <option key={metric} value={metric}>
                {metric}
              </option>
            ))}
          </select>
        </label>
        {Object.keys(ranges).map((name) => (
          <Range key={`${name} ${url[name] ?? ""}`} name={name} text={url[name] ?? ""} span={found.spans[name] ?? null} go={go} />
        ))}
      </search>
    </details>
  );
}

function Search({ text, onText }: { text: string; onText: (text: string) => void }) {
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (value: string) => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => onText(value), 120);
  };
  return (
    <label class="field">
      Words in cases, responses, verdicts, prompts and replies
      <input type="search" defaultValue={text} onInput={(event) => type(event.currentTarget.value)} />
    </label>
  );
}

function Facet(props: {
  title: string;
  values: ValueCount[];
  chosen: string[];
  shownAs: (value: string) => string;
  onChoose: (values: string[]) => void;
}) {
  const { title, values, chosen, onChoose } = props;
  const [all, setAll] = useState(false);
  const few = all ? values : values.filter((one, at) => at < FEW || chosen.includes(one.value));
  const toggle = (value: string, on: boolean) =>
    onChoose(on ? [...chosen, value] : chosen.filter((one) => one !== value));
  if (values.length < 2 && !chosen.length) return null;
  return (
    <fieldset class="facet">
      <legend>
        <Words>{title}</Words>
      </legend>
      {few.map(({ value, count }) => (
        <label key={value} class={count ? "" : "quiet"}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={(event) => toggle(value, event.currentTarget.checked)}
          />
          <span class="facet-name">{value ? <Words>{props.shownAs(value)}</Words> : "(none)"}</span>
          <span class="number">{counted.format(count)}</span>
        </label>
      ))}
      {values.length > few.length && (
        <button type="button" class="plain" onClick={() => setAll(true)}>
          all {counted.format(values.length)}
        </button>
      )}
    </fieldset>
  );
}

function Range(props: { name: string; text: string; span: [number, number] | null; go: Go }) {
  const { name, text, span, go } = props;
  const [low = "", high = ""] = text.split("..");
  const title = ranges[name]!;
  if (!span) return <p class="quiet facet">{title}: no row has one.</p>;
  const set = (from: string, to: string) => go({ [name]: from || to ? `${from}..${to}` : "" });
  const field = (label: string, value: string, hint: number, change: (value: string) => void) => (
    <input
      type="number"
      step="any"
      aria-label={`${title}, ${label}`}
      placeholder={shown(hint)}
      defaultValue={value}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
  return (
    <fieldset class="facet range">
      <legend>{title}</legend>
      {field("from", low, span[0], (value) => set(value, high))} to{" "}
      {field("to", high, span[1], (value) => set(low, value))}
    </fieldset>
  );
}
