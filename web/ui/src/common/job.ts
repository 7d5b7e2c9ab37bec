import { get } from "./api";

/** What this server was started for: `dxjudge view`, `review` or `rate`. */
export interface Job {
  job: "view" | "review" | "rate";
  title: string;
}

export function findJob(): Promise<Job> {
  return get<Job>("job");
}
