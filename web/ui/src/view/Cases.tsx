import type { PageProps } from "./runs";

export function Cases(_props: PageProps) {
  return <section aria-label="Cases" />;
}
