import type { Candidates, Detail, Option, Place, TreeCode } from "./types";

const DIGITS = 9;

/** The group of the code around which the tree is shown. */
export const TREE = "In the tree";
const AROUND = ["Above it", TREE, "Below it", "Beside it"];

export function isInTree(option: Option): boolean {
  return AROUND.includes(option.group);
}

/** Everything that can be picked for a row, group by group; a code stands in the first that has it. */
export function optionsOf(
  row: Detail,
  candidates: Candidates | undefined,
  place: Place | undefined,
): Option[] {
  const options: Option[] = [];
  const add = (code: string, name: string, group: string, why: string) => {
    if (options.some((one) => one.code === code && one.group === group)) return;
    const digit = options.length < DIGITS ? String(options.length + 1) : "";
    options.push({ code, name, group, why, digit });
  };
  for (const review of row.reviews) {
    const further = review.additional_codes ? ` with ${review.additional_codes}` : "";
    const note = review.note ? `: ${review.note}` : "";
    const name = review.code ? nameOf(review.code, row, candidates) : "no code fits";
    add(review.code, name, "What reviewers chose", `${review.reviewer}${further}${note}`);
  }
  for (const one of candidates?.candidates ?? []) {
    add(one.code, one.name, "Candidates", `${one.score.toFixed(2)} · ${one.why}`);
  }
  if (!candidates?.candidates.length && row.computed && row.computed === row.code) {
    add(row.code, row.name, "Computed", row.score.toFixed(2));
  }
  const tree = (codes: TreeCode[], group: string) => {
    for (const one of codes) if (one.is_code) add(one.code, one.name, group, one.billable ? one.kind : `${one.kind}, has codes below it`);
  };
  if (place) {
    tree([...place.ancestors].reverse(), "Above it");
    tree([place], TREE);
    tree(place.children, "Below it");
    tree(place.siblings, "Beside it");
  }
  return options;
}

function nameOf(code: string, row: Detail, candidates: Candidates | undefined): string {
  if (code === row.code) return row.name;
  return candidates?.candidates.find((one) => one.code === code)?.name ?? "";
}
