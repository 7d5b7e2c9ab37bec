import { useState } from "preact/hooks";
import { Failure } from "../common/Failure";
import { send } from "../common/api";
import { useLoaded } from "../common/useLoaded";
import { Words } from "../common/Words";
import type { Limits } from "./types";
import { count, interval, percent, plural } from "./words";

interface Pair {
  first: string;
  second: string;
  texts: number;
  same: number;
  share: Limits;
  kappa: Limits;
  category: Limits;
  rows: number;
  rows_same: number;
}

interface Agreed {
  reviewers: { name: string; texts: number }[];
  pairs: Pair[];
  agreed: number;
  differing: number;
}

/** How far blind reviewers agree, and what is left to settle. */
export function Agreement(props: { me: string; number: string; onChanged: () => void }) {
  const { value, fault } = useLoaded<Agreed>(`review/agreement?number=${props.number}`);
  const [refused, setRefused] = useState<unknown>();
  if (fault) return <Failure fault={fault} />;
  if (!value) return <p class="quiet">Loading…</p>;
  const settle = () => {
    setRefused(undefined);
    send("review/settle", { reviewer: props.me }).then(props.onChanged, setRefused);
  };
  return (
    <div class="accept">
      {refused ? <Failure fault={refused} /> : null}
      <h2>Blind reviews</h2>
      {value.reviewers.length ? (
        <p>
          {value.reviewers.map((one, place) => (
            <span key={one.name}>
              {place ? ", " : ""}
              <Words>{one.name}</Words>: {plural(one.texts, "text")}
            </span>
          ))}
        </p>
      ) : (
        <p class="quiet">
          There are none yet. Two reviewers start <code>dxjudge review TABLE --blind</code>, each with their name.
        </p>
      )}
      {value.pairs.length ? (
        <div class="wide">
          <table role="table" class="stacks" data-testid="pairs">
            <caption>Agreement of every two reviewers</caption>
            <thead role="rowgroup">
              <tr role="row">
                <th role="columnheader" scope="col">Reviewers</th>
                <th role="columnheader" scope="col" class="number">Texts of both</th>
                <th role="columnheader" scope="col" class="number">Same code</th>
                <th role="columnheader" scope="col" class="number">Cohen's kappa</th>
                <th role="columnheader" scope="col" class="number">Same category</th>
                <th role="columnheader" scope="col" class="number">Same code, of rows</th>
              </tr>
            </thead>
            <tbody role="rowgroup">
              {value.pairs.map((pair) => (
                <tr role="row" key={`${pair.first}\n${pair.second}`}>
                  <th role="rowheader" scope="row">
                    <Words>{pair.first}</Words> and <Words>{pair.second}</Words>
                  </th>
                  <td role="cell" class="number" data-label="Texts of both">{count(pair.texts)}</td>
                  <Share label="Same code" limits={pair.share} />
                  <Kappa limits={pair.kappa} />
                  <Share label="Same category" limits={pair.category} />
                  <td role="cell" class="number" data-label="Same code, of rows">
                    {percent(pair.rows_same / pair.rows)}
                    <small class="quiet">{plural(pair.rows, "row")}</small>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
      {value.pairs.length > 0 && <Settle value={value} onSettle={settle} />}
    </div>
  );
}

function Settle({ value, onSettle }: { value: Agreed; onSettle: () => void }) {
  return (
    <>
      <h2>Settle</h2>
      <p>
        On {plural(value.agreed, "open text")} the reviewers agree. On {plural(value.differing, "open text")} they
        differ.
      </p>
      <p class="acts">
        <button type="button" class="primary" disabled={!value.agreed} onClick={onSettle}>
          Write what they agree on into the table
        </button>{" "}
        {value.differing ? (
          <a href="#tab=review&state=all&differs=true">Settle the {plural(value.differing, "difference")}</a>
        ) : null}
      </p>
    </>
  );
}

function Share({ label, limits }: { label: string; limits: Limits }) {
  return (
    <td role="cell" class="number" data-label={label}>
      {limits.value === null ? "–" : percent(limits.value)}
      <small class="quiet">{limits.low === null || limits.high === null ? "" : interval(limits.low, limits.high)}</small>
    </td>
  );
}

function Kappa({ limits }: { limits: Limits }) {
  const both = limits.low !== null && limits.high !== null;
  return (
    <td role="cell" class="number" data-label="Cohen's kappa">
      {limits.value === null ? "–" : limits.value.toFixed(2)}
      <small class="quiet">
        {both ? `${limits.low?.toFixed(2)} to ${limits.high?.toFixed(2)}` : (limits.warning ?? "")}
      </small>
    </td>
  );
}
