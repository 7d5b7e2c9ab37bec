import { useEffect, useMemo } from "preact/hooks";
import { Failure } from "../common/Failure";
import { useKeys } from "../common/useKeys";
import { useUrl } from "../common/useUrl";
import { Words } from "../common/Words";
import type { CaseView } from "./case";
import { CaseBody } from "./CaseBody";
import { link, serverQuery } from "./filters";
import { counted } from "./names";
import { offline } from "./packed";
import { useData } from "./source";

/** One case with everything that the run knows of it. */
export function CasePage({ run, id }: { run: number; id: string }) {
  const [url, go] = useUrl();
  const { value, fault } = useData<CaseView>(`case${serverQuery({ ...url, metric: "" }, run, { id })}`);
  const current = value?.id === id ? value : undefined;
  useEffect(() => (offline ? document.getElementById("cases")?.scrollIntoView({ behavior: "instant" }) : scrollTo(0, 0)), [id]);
  const back = link(url, { case: "", row: "" });
  const keys = useMemo(
    () => ({
      j: () => current?.after && go({ case: current.after, row: "" }),
      k: () => current?.before && go({ case: current.before, row: "" }),
      u: () => go({ case: "", row: "" }),
      v: () => document.querySelector(".verdict.chosen")?.scrollIntoView({ block: "center" }),
    }),
    [current, go],
  );
  useKeys(keys);
  if (fault) {
    return (
      <>
        <a href={back}>Back to the table</a>
        <Failure fault={fault} />
      </>
    );
  }
  if (!value) return <p aria-busy="true">Loading …</p>;
  return (
    <article class="one-case" aria-label={`Case ${value.id}`}>
      <nav class="case-nav" aria-label="Cases">
        <a href={back}>
          Back to the table <kbd>u</kbd>
        </a>
        <button type="button" disabled={!value.before} onClick={keys.k}>
          Previous <kbd>k</kbd>
        </button>
        <button type="button" disabled={!value.after} onClick={keys.j}>
          Next <kbd>j</kbd>
        </button>
        {url.row && (
          <button type="button" onClick={keys.v}>
            To the verdict <kbd>v</kbd>
          </button>
        )}
        <span class="quiet">
          {value.at
            ? `case ${counted.format(value.at)} of ${counted.format(value.of)}`
            : `not among the ${counted.format(value.of)} cases that the filters leave`}
        </span>
      </nav>
      <h2>
        <Words>{value.id}</Words>
      </h2>
      <CaseBody value={value} run={run} chosen={Number(url.row ?? -1)} />
    </article>
  );
}
