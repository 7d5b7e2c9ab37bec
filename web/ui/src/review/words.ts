export function count(number: number): string {
  return number.toLocaleString("en");
}

export function plural(number: number, word: string): string {
  return `${count(number)} ${word}${number === 1 ? "" : "s"}`;
}

/** A share in percent; 100 % and 0 % only where it is so. */
export function percent(share: number): string {
  const text = (share * 100).toFixed(1);
  if (text === "100.0" && share < 1) return "> 99.9 %";
  if (text === "0.0" && share > 0) return "< 0.1 %";
  return `${text} %`;
}

export function interval(low: number, high: number): string {
  return `${percent(low)} to ${percent(high)}`;
}
