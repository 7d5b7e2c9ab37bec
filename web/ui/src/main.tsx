import { render } from "preact";
import { findJob } from "./common/job";
import { Failure } from "./common/Failure";
import { Rate } from "./rate/Rate";
import { Review } from "./review/Review";
import "./style.css";
import { View } from "./view/View";

const jobs = { view: View, review: Review, rate: Rate };

const root = document.getElementById("app");
if (root) {
  findJob().then(
    (job) => {
      const App = jobs[job.job];
      document.title = `${job.title} · dxjudge`;
      render(<App job={job} />, root);
    },
    (fault: unknown) => render(<Failure fault={fault} />, root),
  );
}
