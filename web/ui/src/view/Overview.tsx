import type { PageProps } from "./runs";

export function Overview(_props: PageProps) {
  return <section aria-label="Overview" />;
}
