import { useEffect, useRef } from "preact/hooks";
import { Words } from "../common/Words";
import type { Option } from "./types";

/** The codes to pick from, in groups, as one list for the arrow keys. */
export function Options(props: {
  options: Option[];
  at: number;
  chosen: string;
  /** The option that stands at the top of the list, with what follows below it; -1 for none. */
  top: number;
  onPick: (option: Option, at: number) => void;
}) {
  const { options, at, chosen, top } = props;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector(`#option-${at}`)?.scrollIntoView({ block: "nearest" });
  }, [at, options]);
  useEffect(() => {
    const option = list.current?.querySelector<HTMLElement>(`#option-${top}`);
    const heading = option?.parentElement?.firstElementChild;
    if (!list.current || !option || !heading) return;
    list.current.scrollIntoView({ block: "nearest" });
    list.current.scrollTop += option.getBoundingClientRect().top - list.current.getBoundingClientRect().top - heading.clientHeight;
  }, [top, options]);
  const groups = [...new Set(options.map((one) => one.group))];
  if (!options.length) return <p class="quiet">There is no code to pick from yet; press / to search.</p>;
  return (
    <div
      class="options"
      role="listbox"
      aria-label="Codes to pick from"
      tabIndex={0}
      ref={list}
      aria-activedescendant={at >= 0 ? `option-${at}` : undefined}
    >
      {groups.map((group) => (
        <div role="group" aria-label={group} key={group}>
          <p class="group" aria-hidden="true">
            {group}
          </p>
          {options.map((one, place) =>
            one.group === group ? (
              <div
                key={place}
                id={`option-${place}`}
                role="option"
                aria-selected={one.code === chosen}
                class={`option${place === at ? " at" : ""}`}
                onClick={() => props.onPick(one, place)}
              >
                <kbd class={one.digit ? "" : "none"}>{one.digit}</kbd>
                <span class="code">{one.code || "–"}</span>
                <span class="what">
                  <Words>{one.name}</Words>
                  <span class="quiet why">
                    <Words>{one.why}</Words>
                  </span>
                </span>
              </div>
            ) : null,
          )}
        </div>
      ))}
    </div>
  );
}
