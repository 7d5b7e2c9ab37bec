import { useEffect } from "preact/hooks";
import { useUrl } from "../common/useUrl";
import { Cases } from "./Cases";
import { cleared } from "./filters";
import { counted } from "./names";
import type { SamplesData } from "./shapes";

interface SamplesProps {
  samples: SamplesData;
  cases: number;
  seed: number;
}

/** The cases inside a self-contained report: the page "Cases" over them. */
export function Samples({ samples, cases, seed }: SamplesProps) {
  const [url] = useUrl();
  const isNamed = url.case !== undefined || Object.keys(cleared(url)).length > 0;
  // An address with a filter or a case is one of this part of the page.
  useEffect(() => {
    if (isNamed) document.getElementById("cases")?.scrollIntoView({ behavior: "instant" });
  }, [isNamed]);
  return (
    <section aria-label="Cases" class="inside">
      <h2 id="cases">Cases</h2>
      <LeftOut samples={samples} cases={cases} seed={seed} />
      {samples.cases.length > 0 && <Cases run={{ place: 0, name: "", state: "finished" }} runs={[]} />}
    </section>
  );
}

function LeftOut({ samples, cases, seed }: SamplesProps) {
  const images = samples.images_left_out;
  if (samples.cases.length === cases && !images) return null;
  return (
    <p>
      {samples.cases.length < cases &&
        `${counted.format(samples.cases.length)} of ${counted.format(cases)} cases are shown, drawn at random with seed ${seed}; every number above is computed from all of them. `}
      {images > 0 && `${counted.format(images)} image${images === 1 ? " is" : "s are"} left out. `}
      dxjudge view shows all.
    </p>
  );
}
