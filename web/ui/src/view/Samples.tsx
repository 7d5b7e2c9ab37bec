import { useEffect, useMemo, useState } from "preact/hooks";
import { Failure } from "../common/Failure";
import type { CaseView } from "./case";
import { CaseBody } from "./CaseBody";
import { counted } from "./names";
import type { CaseLine, SamplesData } from "./shapes";
import { unpacked, useData } from "./source";

const marks: Record<string, string> = {
  failed: "a failed item",
  "no response": "no response of a model",
  abstained: "an abstained item",
  wrong: "a wrong verdict",
  disagree: "judges that disagree",
  differ: "a person who contradicts a judge",
  repaired: "a repaired answer",
};

interface SamplesProps {
  samples: SamplesData;
  cases: number;
  seed: number;
}

/** The cases inside a self-contained report, with a search over everything in them. */
export function Samples({ samples, cases, seed }: SamplesProps) {
  const [words, setWords] = useState("");
  const [mark, setMark] = useState("");
  const wanted = words.trim().toLowerCase();
  const texts = useTexts(samples.cases, wanted !== "");
  const shown = samples.cases.filter(
    (one) => (!mark || one.marks.includes(mark)) && (!wanted || texts.get(one.place)?.includes(wanted)),
  );
  const known = Object.keys(marks).filter((name) => samples.cases.some((one) => one.marks.includes(name)));
  const isReading = wanted !== "" && texts.size < samples.cases.length;
  return (
    <section aria-label="Cases">
      <h2 id="cases">Cases</h2>
      <LeftOut samples={samples} cases={cases} seed={seed} />
      <div class="tools">
        <label>
          Words in cases, responses, verdicts, prompts and replies{" "}
          <input type="search" value={words} onInput={(event) => setWords(event.currentTarget.value)} />
        </label>
        {known.length > 0 && (
          <label>
            With{" "}
            <select value={mark} onChange={(event) => setMark(event.currentTarget.value)}>
              <option value="">anything</option>
              {known.map((name) => (
                <option key={name} value={name}>
                  {marks[name]}
                </option>
              ))}
            </select>
          </label>
        )}
        <span role="status" aria-busy={isReading}>
          {isReading
            ? `Reading ${counted.format(texts.size)} of ${counted.format(samples.cases.length)} cases …`
            : `${counted.format(shown.length)} of ${counted.format(samples.cases.length)} cases`}
        </span>
      </div>
      {shown.map((one) => (
        <Case key={one.place} one={one} />
      ))}
    </section>
  );
}

function LeftOut({ samples, cases, seed }: SamplesProps) {
  const images = samples.images_left_out;
  if (samples.cases.length === cases && !images) return null;
  return (
    <p>
      {samples.cases.length < cases &&
        `${counted.format(samples.cases.length)} of ${counted.format(cases)} cases are shown, drawn at random with seed ${seed}; every number is computed from all of them. `}
      {images > 0 && `${counted.format(images)} image${images === 1 ? " is" : "s are"} left out. `}
      dxjudge view shows all.
    </p>
  );
}

/** It is unpacked when it is opened, so that a page of many cases stands at once. */
function Case({ one }: { one: CaseLine }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="case one-case" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <b>
          <bdi>{one.id}</bdi>
        </b>{" "}
        <bdi>{one.truth}</bdi>
        {one.marks.map((mark) => (
          <span key={mark} class={`chip ${mark === "failed" || mark === "wrong" ? "bad" : ""}`}>
            {mark}
          </span>
        ))}
      </summary>
      {open && <Inside place={one.place} />}
    </details>
  );
}

function Inside({ place }: { place: number }) {
  const { value, fault } = useData<CaseView>(pathOf(place));
  if (fault) return <Failure fault={fault} />;
  return value ? <CaseBody value={value} run={0} /> : null;
}

function pathOf(place: number): string {
  return `case?run=0&place=${place}`;
}

/** All texts of every case in small letters, by its place; read once, when they are first wanted. */
function useTexts(cases: CaseLine[], wanted: boolean): Map<number, string> {
  const texts = useMemo(() => new Map<number, string>(), [cases]);
  const [, redraw] = useState(0);
  useEffect(() => {
    if (!wanted || texts.size === cases.length) return;
    let stopped = false;
    const read = async () => {
      for (const { place } of cases) {
        if (stopped) return;
        if (texts.has(place)) continue;
        const found = new Set<string>();
        collect(await unpacked(pathOf(place)), found);
        texts.set(place, [...found].join("\n").toLowerCase());
        if (texts.size % 20 === 0) redraw((last) => last + 1);
      }
      redraw((last) => last + 1);
    };
    void read();
    return () => {
      stopped = true;
    };
  }, [cases, texts, wanted]);
  return texts;
}

/** Every text inside a value, each once: judges of one item get the same prompt. */
function collect(value: unknown, found: Set<string>): void {
  if (typeof value === "string") found.add(value);
  else if (value && typeof value === "object") Object.values(value).forEach((one) => collect(one, found));
}
