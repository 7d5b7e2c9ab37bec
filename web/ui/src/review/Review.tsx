import { useCallback, useEffect, useState } from "preact/hooks";
import { Failure } from "../common/Failure";
import { get, query } from "../common/api";
import type { Job } from "../common/job";
import { letGo } from "../common/useKeys";
import { useLoaded } from "../common/useLoaded";
import { useUrl } from "../common/useUrl";
import { Words } from "../common/Words";
import { Accept } from "./Accept";
import { Agreement } from "./Agreement";
import { Desk } from "./Desk";
import { Keys } from "./Keys";
import { Name } from "./Name";
import { Progress, type HowFar } from "./Progress";
import "./review.css";
import type { Changes, Setup } from "./types";

const EVERY = 2500; // milliseconds between questions whether others wrote

/** `dxjudge review`: the queue of a canonical table, samples, and agreement. */
export function Review({ job }: { job: Job }) {
  const [url, setUrl] = useUrl();
  const setup = useLoaded<Setup & Changes>("review");
  const [me, setMe] = useState(() => localStorage.getItem(KEPT) ?? "");
  const [changes, setChanges] = useState<Changes>();
  const [lost, setLost] = useState<unknown>();
  const [keysShown, setKeysShown] = useState(false);
  const number = changes?.number ?? "";
  const far = useLoaded<HowFar>(`review/progress${query({ number, me, with_steps: url.tab === "accept" })}`);
  const proposed = setup.value?.reviewer;
  useEffect(() => {
    if (proposed) setMe(proposed);
  }, [proposed]);
  const look = useCallback(() => {
    get<Changes>("review/changes").then(
      (value) => {
        setChanges(value);
        setLost(undefined);
      },
      (fault: unknown) => setLost(fault),
    );
  }, []);
  useEffect(() => {
    look();
    const timer = setInterval(look, EVERY);
    return () => clearInterval(timer);
  }, [look]);
  if (setup.fault) return <Failure fault={setup.fault} />;
  if (!setup.value) return <p class="quiet">Loading…</p>;
  const { blind, share, release } = setup.value;
  const tab = url.tab ?? "review";
  const tabs = [["review", "Review"], ...(blind ? [] : [["accept", "Accept unseen"], ["agreement", "Agreement"]])];
  return (
    <main class="review">
      <h1>
        <Words>{job.title}</Words>
      </h1>
      <p class="quiet head">
        {release}
        {share[1] > 1 ? ` · share ${share[0]} of ${share[1]}` : ""}
        {blind ? " · blind: nobody's decisions are shown" : ""}
        {me ? (
          <>
            {" "}
            · <Words>{me}</Words>{" "}
            {proposed ? null : (
              <button type="button" onClick={() => setMe("")}>
                Another name
              </button>
            )}
          </>
        ) : null}
      </p>
      {lost ? <Failure fault={lost} /> : null}
      {changes?.fault ? <Failure fault={`The file as it stands now cannot be read: ${changes.fault}`} /> : null}
      {changes?.mapper === "failed" ? (
        <Failure fault={`There are no candidates: ${(setup.value.mapper_fault ?? "") || "the mapper could not be loaded"}`} />
      ) : null}
      {far.value ? <Progress far={far.value} blind={blind} /> : null}
      <nav class="tabs" aria-label="Parts">
        {tabs.map(([name, words]) => (
          <a key={name} href={`#tab=${name}`} aria-current={tab === name ? "page" : undefined}>
            {words}
          </a>
        ))}
        {tab === "review" && (
          <button
            type="button"
            aria-expanded={keysShown}
            onClick={(event) => {
              letGo(event);
              setKeysShown(!keysShown);
            }}
          >
            Keys <kbd>?</kbd>
          </button>
        )}
      </nav>
      {tab === "review" && <Keys shown={keysShown} onToggle={() => setKeysShown((last) => !last)} />}
      {!me ? (
        <Name
          texts={far.value?.open.texts}
          reviewers={setup.value.reviewers}
          blind={blind}
          onName={(name) => {
            localStorage.setItem(KEPT, name);
            setMe(name);
          }}
        />
      ) : tab === "accept" && !blind ? (
        <Accept me={me} far={far.value} onChanged={look} />
      ) : tab === "agreement" && !blind ? (
        <Agreement me={me} number={number} onChanged={look} />
      ) : (
        <Desk setup={setup.value} me={me} url={url} setUrl={setUrl} number={number} open={far.value?.open.texts} onSaved={look} />
      )}
    </main>
  );
}

const KEPT = "dxjudge-reviewer";
