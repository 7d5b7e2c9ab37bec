import type { PageProps } from "./runs";

export function Compare(_props: PageProps) {
  return <section aria-label="Compare" />;
}
