import type { Job } from "../common/job";

export function Rate({ job }: { job: Job }) {
  return (
    <main>
      <h1>{job.title}</h1>
    </main>
  );
}
