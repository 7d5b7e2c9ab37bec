import { Words } from "../common/Words";
import type { Marked, Path, Question } from "./types";

/** Where a marked passage can go: a list of passages, or a new entry. */
export interface Target {
  title: string;
  path: Path;
  /** The field of the new entry; undefined for a list of passages or a single one. */
  field?: string;
  isList: boolean;
  sources: string[];
}

export function targetsOf(questions: Question[], above: Path = [], title = ""): Target[] {
  return questions.flatMap((question): Target[] => {
    const path = [...above, question.name];
    const name = title ? `${title}: ${question.title}` : question.title;
    if (question.kind === "group") return targetsOf(question.questions, path, question.title);
    if (question.kind === "quotes" || question.kind === "quote") {
      const isList = question.kind === "quotes";
      return [{ title: name, path, isList, sources: question.sources }];
    }
    if (question.kind !== "entries") return [];
    return question.questions
      .filter((inside) => inside.kind === "quote")
      .map(({ name: field, sources }) => ({
        title: `${name}: new entry`,
        path,
        field,
        isList: true,
        sources,
      }));
  });
}

interface BarProps {
  marked: Marked;
  targets: Target[];
  /** Where the passage goes by the keys. */
  likely: Target;
  onPut: (target: Target) => void;
  onDrop: () => void;
}

/** The passage that was just marked, and the buttons that put it somewhere. */
export function MarkedBar({ marked, targets, likely, onPut, onDrop }: BarProps) {
  return (
    <div class="marked-bar" role="status">
      <p>
        Marked: <q><Words>{marked.text}</Words></q>
      </p>
      <div class="rate-buttons">
        {targets.map((target) => (
          <button
            key={target.path.join("/")}
            type="button"
            class={target === likely ? "primary" : ""}
            onClick={() => onPut(target)}
          >
            {target.title} {target === likely && <kbd aria-hidden="true">m</kbd>}
          </button>
        ))}
        <button type="button" onClick={onDrop}>
          Drop it <kbd aria-hidden="true">Esc</kbd>
        </button>
      </div>
    </div>
  );
}
