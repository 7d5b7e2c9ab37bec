import type { Job } from "../common/job";

export function Review({ job }: { job: Job }) {
  return (
    <main>
      <h1>{job.title}</h1>
    </main>
  );
}
