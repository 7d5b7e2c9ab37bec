import type { ComponentChildren } from "preact";
import { letGo } from "../common/useKeys";
import { Words } from "../common/Words";
import { Options } from "./Options";
import { Search } from "./Search";
import type { Candidates, Detail, Draft, Named, Option, Place } from "./types";
import { plural } from "./words";

export interface OneRowProps {
  row: Detail;
  draft: Draft;
  options: Option[];
  at: number;
  top: number;
  place: Place | undefined;
  candidates: Candidates | undefined;
  adding: boolean;
  blind: boolean;
  onPick: (option: Option, at: number) => void;
  onFound: (code: Named) => void;
  onNote: (note: string) => void;
  onRemove: (code: string) => void;
  acts: { key: string; shown: string; words: string; act: () => void; primary?: boolean }[];
}

/** One row: its text, the code that would be saved, and everything to pick from. */
export function OneRow(props: OneRowProps) {
  const { row, draft } = props;
  return (
    <article class="one-row" aria-label="The row">
      {/* Above the text, so that the buttons stay where they are from row to row. */}
      <div class="acts">
        {props.acts.map((one) => (
          <button
            key={one.key}
            type="button"
            class={one.primary ? "primary" : ""}
            onClick={(event) => {
              letGo(event);
              one.act();
            }}
          >
            {one.words} <kbd>{one.shown}</kbd>
          </button>
        ))}
      </div>
      <p class="facts quiet">
        {row.rows ? `in ${plural(row.rows, "row")}` : "rows not counted"} · <How row={row} />
        {row.samples.map((sample) => ` · in sample ${sample}`)}
        {row.flagged ? <strong class="doubt"> · ⚑ flagged by {row.flagged}</strong> : null}
      </p>
      <p class="text" data-testid="text">
        <Words>{row.text}</Words>
      </p>
      <Facts row={row} candidates={props.candidates} />
      <Chosen {...props} />
      <label class="note">
        Note{" "}
        <input
          id="note"
          placeholder=" "
          value={draft.note}
          maxLength={10000}
          onInput={(event) => props.onNote(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape" && event.key !== "Enter") return;
            event.currentTarget.blur();
            event.preventDefault();
            event.stopPropagation();
          }}
        />
      </label>
      {props.adding ? (
        <p class="mode" role="status">
          Pick a further code: a digit, arrows and Enter, or / to search. Esc leaves.
        </p>
      ) : null}
      <Search key={row.id} onPick={props.onFound} />
      {props.candidates?.state === "loading" ? (
        <p class="quiet" role="status">
          The candidates are being loaded…
        </p>
      ) : null}
      <Options options={props.options} at={props.at} top={props.top} chosen={draft.code} onPick={props.onPick} />
      <History row={row} />
    </article>
  );
}

function How({ row }: { row: Detail }) {
  const who = row.reviewer ? ` by ${row.reviewer}` : "";
  if (row.state === "reviewed") return <span class="good">reviewed{who}</span>;
  if (row.state === "accepted") return <span class="good">accepted unseen{who}</span>;
  if (row.band === "unmapped") return <span>no code was found</span>;
  if (row.band === "failed") return <span>the mapping failed</span>;
  const how = row.band === "exact" ? "same words as a term of this code" : `${row.band} confidence`;
  const score = row.computed ? `, confidence ${row.score.toFixed(2)}` : "";
  return (
    <span>
      {row.band === "exact" ? `${how}${score}` : `${how} (${row.score.toFixed(2)})`}
      {row.decided_by === "llm" ? ", chosen by a model" : ""}
    </span>
  );
}

function Facts({ row, candidates }: { row: Detail; candidates: Candidates | undefined }) {
  const lines: [string, string][] = [];
  if (row.fault) lines.push(["Cannot be read", row.fault]);
  if (row.earlier) lines.push([`Changed release (${row.earlier.fate})`, `${row.earlier.code}: ${row.earlier.why}`]);
  const reason = row.reason || candidates?.reason;
  if (reason) lines.push(["Why", reason]);
  if (row.term) lines.push(["Matched", `${row.term}${row.source ? ` (${row.source})` : ""}`]);
  if (candidates?.parts?.length) lines.push(["Several diagnoses", candidates.parts.join(" | ")]);
  for (const one of candidates?.additional ?? []) {
    lines.push(["Proposed beside it", `${one.code} ${one.name}: ${one.why}`]);
  }
  for (const [name, cell] of Object.entries(row.other)) lines.push([name, cell]);
  if (!lines.length) return null;
  return (
    <dl class="lines">
      {lines.map(([name, words], place) => (
        <div key={place}>
          <dt>
            <Words>{name}</Words>
          </dt>
          <dd>
            <Words>{words}</Words>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Chosen({ row, draft, place, onRemove }: OneRowProps) {
  const changed = isChanged(draft, row);
  const above = place && place.code === draft.code ? place.ancestors : [];
  return (
    <div class="decision" aria-live="polite">
      <p class="way quiet">
        {above.map((one) => (
          <span key={one.kind + one.code}>
            {one.code} <Words>{one.name}</Words> ›{" "}
          </span>
        ))}
      </p>
      <p data-testid="chosen">
        {draft.code ? (
          <>
            <span class="code big">{draft.code}</span> <Words>{draft.name}</Words>
            {place?.code === draft.code && !place.billable ? (
              <span class="quiet"> (has codes below it)</span>
            ) : null}
          </>
        ) : (
          <strong>No code fits</strong>
        )}
        {changed ? <span class="doubt"> · not saved yet</span> : null}
      </p>
      {draft.additional.length ? (
        <p class="further">
          with{" "}
          {draft.additional.map((one) => (
            <button key={one.code} type="button" onClick={() => onRemove(one.code)} title="Remove">
              <span class="code">{one.code}</span> <Words>{one.name}</Words> ×
            </button>
          ))}
        </p>
      ) : null}
      {place && place.code === draft.code ? <Notes notes={place.notes} /> : null}
    </div>
  );
}

function isChanged(draft: Draft, row: Detail): boolean {
  const further = (codes: Named[]) => codes.map((one) => one.code).join();
  return draft.code !== row.code || draft.note !== row.note || further(draft.additional) !== further(row.additional);
}

function Notes({ notes }: { notes: Record<string, string[]> }) {
  const kinds = Object.entries(notes);
  if (!kinds.length) return null;
  return (
    <details class="notes">
      <summary>Notes of the release</summary>
      {kinds.map(([kind, texts]) => (
        <p key={kind}>
          <span class="quiet">{kind.replaceAll("_", " ")}:</span> <Words>{texts.join("; ")}</Words>
        </p>
      ))}
    </details>
  );
}

function History({ row }: { row: Detail }): ComponentChildren {
  if (!row.history.length) return null;
  return (
    <details class="notes">
      <summary>History ({row.history.length})</summary>
      <ol>
        {row.history.map((one, place) => (
          <li key={place}>
            {new Date(one.time).toLocaleString()} <Words>{one.reviewer}</Words> {one.act}{" "}
            {one.code}
            {one.additional_codes ? ` with ${one.additional_codes}` : ""}{" "}
            <Words>{one.note}</Words>
          </li>
        ))}
      </ol>
    </details>
  );
}
