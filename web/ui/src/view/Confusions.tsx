import type { Confusion } from "./shapes";

/** Every two on the same items of each step: how often they agree, and which verdicts meet which. */
export function Confusions({ pairs }: { pairs: Confusion[] }) {
  const steps = [...new Set(pairs.map((one) => one.step))];
  return (
    <>
      {steps.map((step, at) => {
        const own = pairs.filter((one) => one.step === step);
        return (
          <details key={step} open={at === 0}>
            <summary>
              <b>
                <bdi>{step}</bdi>
              </b>{" "}
              ({own.length})
            </summary>
            <div class="confusions">
              {own.map((one) => (
                <Pair key={`${one.first} ${one.second}`} one={one} />
              ))}
            </div>
          </details>
        );
      })}
    </>
  );
}

function Pair({ one }: { one: Confusion }) {
  const share = ((100 * one.same) / one.n).toFixed(0);
  return (
    <figure class="confusion">
      <figcaption>
        <b>
          <bdi>{one.first}</bdi> and <bdi>{one.second}</bdi>
        </b>
        : the same verdict on {one.same.toLocaleString("en")} of {one.n.toLocaleString("en")} items ({share} %),{" "}
        {one.measure} {one.agreement}.
      </figcaption>
      {one.labels.length ? <Counts one={one} /> : <p class="quiet">Too many different verdicts for a grid.</p>}
    </figure>
  );
}

function Counts({ one }: { one: Confusion }) {
  const most = Math.max(...one.counts.flat());
  return (
    <div class="grid" tabIndex={0} role="group" aria-label={`${one.first} and ${one.second} on ${one.step}`}>
      <table>
        <caption>
          Rows: <bdi>{one.first}</bdi>. Columns: <bdi>{one.second}</bdi>.
        </caption>
        <thead>
          <tr>
            <td />
            {one.labels.map((label) => (
              <th key={label} scope="col">
                <bdi>{label}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {one.counts.map((row, at) => (
            <tr key={one.labels[at]}>
              <th scope="row">
                <bdi>{one.labels[at]}</bdi>
              </th>
              {row.map((count, place) => (
                <td key={place} class={at === place ? "number same" : "number"} style={{ "--share": String(count / most) }}>
                  {count.toLocaleString("en")}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
