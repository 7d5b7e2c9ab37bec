/** What stands beside a list without a row to decide: where to go on. */
export function End(props: { count: number; open: number | undefined; blind: boolean; sample: string }) {
  const { count, open, blind, sample } = props;
  if (open === 0) {
    return (
      <p class="end">
        Every text is decided. {blind ? "All your decisions are recorded" : "All decisions are saved in the table"}: you
        can close this page, and end the command with Ctrl-C in its terminal.
        {blind ? " When all reviewers are done, dxjudge review without --blind settles where they differ." : ""}
      </p>
    );
  }
  if (sample && count) {
    return (
      <p class="end">
        Every text of sample {sample} was shown. What it says, and whether to accept the others:{" "}
        <a href="#tab=accept">Accept unseen</a>.
      </p>
    );
  }
  return (
    <p class="end">
      {count ? "This list is done." : "No row fits the filters."} Press <kbd>r</kbd> to load it again, or choose other
      filters.
    </p>
  );
}
