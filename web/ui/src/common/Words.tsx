/** Text of other people: isolated, so that signs of writing direction in it turn nothing else around. */
export function Words({ children }: { children: string }) {
  return <bdi class="words">{children}</bdi>;
}
