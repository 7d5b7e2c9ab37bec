/** Short names of judges: without provider and address where the rest still tells them apart. */
export function shortNames(labels: string[]): Map<string, string> {
  const short = (label: string) => label.replace(/^[a-z_]+:(?=[^/])/, "").replace(/@https?:.*$/, "");
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(short(label), (counts.get(short(label)) ?? 0) + 1);
  return new Map(
    labels.map((label) => [label, label.startsWith("jury:") || counts.get(short(label)) !== 1 ? label : short(label)]),
  );
}

export function shown(number: number | null, digits = 3): string {
  return number === null ? "" : String(Number(number.toFixed(digits)));
}

export const counted = new Intl.NumberFormat("en");
