import { useEffect, useRef } from "preact/hooks";
import { GridTable } from "./GridTable";
import type { Drawing } from "./shapes";

const SMALLEST = 0.55; // of its size; where there is less room it scrolls, because nobody could read its words

/** A figure as the report's program drew it, with its numbers as a table. */
export function Chart({ figure }: { figure: Drawing }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.replaceChildren(drawn(figure));
  }, [figure]);
  return (
    <figure class="chart" id={`figure-${figure.name}`}>
      <h3>
        <bdi>{figure.title}</bdi>
      </h3>
      <div class="drawing" ref={box} tabIndex={0} role="group" aria-label={figure.title} />
      <figcaption>
        <bdi>{figure.caption}</bdi>
      </figcaption>
      <details>
        <summary>Numbers</summary>
        <GridTable grid={{ title: figure.title, header: figure.header, rows: figure.rows, caption: "" }} />
      </details>
    </figure>
  );
}

/** The drawing as elements of this page: its words become tooltips, and its colours follow the page. */
function drawn(figure: Drawing): Node {
  const parsed = new DOMParser().parseFromString(figure.svg, "image/svg+xml");
  const svg = document.importNode(parsed.documentElement as unknown as SVGSVGElement, true);
  svg.style.minWidth = `${SMALLEST * svg.width.baseVal.value}px`;
  for (const mark of svg.querySelectorAll("[aria-label]")) {
    const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    title.textContent = mark.getAttribute("aria-label");
    if (mark.hasAttribute("d")) mark.append(title);
  }
  for (const mark of svg.querySelectorAll("[role], [aria-label], [aria-roledescription]")) {
    for (const name of ["role", "aria-label", "aria-roledescription"]) mark.removeAttribute(name);
  }
  return svg;
}
