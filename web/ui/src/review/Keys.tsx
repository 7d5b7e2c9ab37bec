import { useMemo } from "preact/hooks";
import { useKeys } from "../common/useKeys";

const KEYS = [
  ["Enter", "save the code that is shown, and go on"],
  ["1 – 9", "pick a code of the list"],
  ["↑ ↓", "go through the list"],
  ["n", "no code fits"],
  ["/", "search the release"],
  ["a", "add a further code; x removes the last"],
  ["t", "go to the tree around the chosen code"],
  ["m", "write a note; Enter or Esc leaves it"],
  ["f", "flag the row, or remove the flag"],
  ["u", "take back your last decision"],
  ["j k", "skip, go back"],
  ["Esc", "forget what you changed on this row"],
  ["w", "filter the list"],
  ["r", "load the list again"],
  ["o", "look at what could not be saved"],
  ["?", "these keys"],
] as const;

export function Keys({ shown, onToggle }: { shown: boolean; onToggle: () => void }) {
  useKeys(useMemo(() => ({ "?": onToggle, ...(shown ? { Escape: onToggle } : {}) }), [shown, onToggle]));
  if (!shown) {
    return (
      <p class="quiet keys-line">
        <kbd>Enter</kbd> saves and goes on · <kbd>1</kbd>–<kbd>9</kbd> pick · <kbd>n</kbd> none fits ·{" "}
        <kbd>/</kbd> search · <kbd>u</kbd> undo · <kbd>?</kbd> all keys
      </p>
    );
  }
  return (
    <dl class="keys">
      {KEYS.map(([key, words]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{words}</dd>
        </div>
      ))}
    </dl>
  );
}
