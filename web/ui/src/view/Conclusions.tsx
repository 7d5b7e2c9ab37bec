import { useState } from "preact/hooks";
import type { Conclusion } from "./shapes";

const FIRST = 20;
const doubt = { "some judges": 0, "no judge": 1, "every judge": 2 };

/** Which model is better than which, and under which judges that is clear; the doubtful ones first. */
export function Conclusions(props: { conclusions: Conclusion[]; familyNote: string }) {
  const { conclusions, familyNote } = props;
  const [all, setAll] = useState(false);
  const sorted = [...conclusions].sort((a, b) => doubt[a.holds] - doubt[b.holds]);
  const count = (holds: Conclusion["holds"]) => conclusions.filter((one) => one.holds === holds).length;
  return (
    <>
      <p>
        Of {conclusions.length} comparisons of two models, {count("every judge")} are clear under every
        judge, {count("some judges")} under some judges only, and {count("no judge")} under none.
      </p>
      <ul class="claims">
        {(all ? sorted : sorted.slice(0, FIRST)).map((one, at) => (
          <li key={at}>
            <span class={`badge ${kind(one)}`}>{one.holds}</span> <bdi>{one.sentence}</bdi>
          </li>
        ))}
      </ul>
      {!all && sorted.length > FIRST && (
        <button type="button" onClick={() => setAll(true)}>
          Show all {sorted.length}
        </button>
      )}
      <p class="quiet">
        Green: the conclusion holds under every judge, and the interval excludes 0 under each of them.
        Yellow: the order depends on the judge.
      </p>
      {familyNote && (
        <p class="quiet">
          Self-preference: <bdi>{familyNote}</bdi>.
        </p>
      )}
    </>
  );
}

function kind(one: Conclusion): string {
  if (one.holds === "some judges") return "some";
  const clear = one.clear_for !== "" && one.clear_for === one.judges_for;
  return one.holds === "every judge" && clear ? "all" : "";
}
