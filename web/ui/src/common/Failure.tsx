/** A fault in words, where the content would stand. */
export function Failure({ fault }: { fault: unknown }) {
  const words = fault instanceof Error ? fault.message : String(fault);
  return (
    <p class="failure" role="alert">
      {words}
    </p>
  );
}
