/** A run that is open; `place` is how addresses name it. */
export interface RunLine {
  place: number;
  name: string;
  state: "finished" | "running" | "stopped";
}

/** What every page of a run gets. */
export interface PageProps {
  /** The run that is looked at. */
  run: RunLine;
  runs: RunLine[];
}
