import type { PageProps } from "./runs";

export function Judges(_props: PageProps) {
  return <section aria-label="Judges" />;
}
