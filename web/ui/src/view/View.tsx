import type { Job } from "../common/job";

export function View({ job }: { job: Job }) {
  return (
    <main>
      <h1>{job.title}</h1>
    </main>
  );
}
