import { useMemo, useRef, useState } from "preact/hooks";
import { Words } from "../common/Words";
import { piecesOf, selectedIn, trimmed, wordsOf } from "./marking";
import type { Item, Marked, Passage } from "./types";

/** A text of more characters has a line of its own. */
const LONG = 400;

interface MaterialProps {
  item: Item;
  /** The texts in which passages can be marked. */
  sources: string[];
  /** The quotes that were marked in a text, or may have been. */
  quotesOf: (name: string) => string[];
  onMark: (marked: Marked) => void;
}

/** What a person reads: images and texts. */
export function Material({ item, sources, quotesOf, onMark }: MaterialProps) {
  return (
    <section class="rate-material" aria-label="What is judged">
      {Array.from({ length: item.images }, (_, place) => (
        <Picture key={`${item.place}/${place}`} item={item.place} place={place} />
      ))}
      {item.material.map((passage, place) => (
        <section
          class={`rate-passage ${widthOf(item.material, place)}`}
          key={`${item.place}/${passage.name}`}
        >
          <h2>{passage.title}</h2>
          {passage.items ? (
            <List items={passage.items} />
          ) : sources.includes(passage.name) ? (
            <Markable passage={passage} quotes={quotesOf(passage.name)} onMark={onMark} />
          ) : (
            <p class="rate-text">
              <Words>{passage.text || "(empty)"}</Words>
            </p>
          )}
        </section>
      ))}
    </section>
  );
}

/** Two sides that are compared stand beside each other, however long they are. */
function widthOf(material: Passage[], place: number): string {
  const name = material[place]?.name ?? "";
  const isSide = (one: string, other: string) =>
    name.endsWith(one) && material.some((passage) => passage.name === name.slice(0, -1) + other);
  if (isSide("_a", "b")) return "side-a";
  if (isSide("_b", "a")) return "side-b";
  return (material[place]?.text.length ?? 0) > LONG ? "long" : "";
}

function List({ items }: { items: string[] }) {
  return (
    <ul class="rate-list">
      {items.map((text, place) => (
        <li key={place}>
          <Words>{text}</Words>
        </li>
      ))}
      {items.length === 0 && <li class="quiet">(empty)</li>}
    </ul>
  );
}

function Picture({ item, place }: { item: number; place: number }) {
  const [failed, setFailed] = useState(false);
  const address = `api/rating/items/${item}/images/${place}`;
  if (failed) {
    return (
      <p class="failure" role="alert">
        Image {place + 1} cannot be shown: it is missing, too large, no image, or on another machine.
      </p>
    );
  }
  return (
    <img
      class="rate-image"
      src={address}
      alt={`${place + 1} of the images to judge`}
      onError={() => setFailed(true)}
    />
  );
}

interface MarkableProps {
  passage: Passage;
  quotes: string[];
  onMark: (marked: Marked) => void;
}

/** A text in which passages are marked: by the mouse, or word by word with the arrow keys. */
function Markable({ passage, quotes, onMark }: MarkableProps) {
  const box = useRef<HTMLDivElement>(null);
  const words = useMemo(() => wordsOf(passage.text), [passage.text]);
  const [cursor, setCursor] = useState<{ from: number; to: number } | null>(null);
  const first = cursor && words[Math.min(cursor.from, cursor.to)];
  const last = cursor && words[Math.max(cursor.from, cursor.to)];
  const stretch = first && last ? { start: first.start, end: last.end } : null;

  function mark(found: { start: number; end: number } | null) {
    const part = found && trimmed(passage.text, found);
    if (part) onMark({ source: passage.name, text: passage.text.slice(part.start, part.end) });
  }

  function move(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey || words.length === 0) return;
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 10, ArrowUp: -10 }[event.key];
    if (event.key === "Enter" && stretch) {
      mark(stretch);
      setCursor(null);
    } else if (event.key === "Escape" && cursor) {
      setCursor(null);
    } else if (steps !== undefined) {
      const now = cursor ?? { from: 0, to: steps > 0 ? -1 : 0 };
      const to = Math.max(0, Math.min(words.length - 1, now.to + steps));
      setCursor({ from: event.shiftKey && cursor ? now.from : to, to });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div
      ref={box}
      class="rate-text markable"
      role="textbox"
      aria-readonly="true"
      aria-multiline="true"
      aria-label={`${passage.title}: mark with the mouse, or with arrow keys, Shift and Enter`}
      tabIndex={0}
      onMouseUp={() => box.current && mark(selectedIn(box.current))}
      onKeyDown={move}
      onBlur={() => setCursor(null)}
    >
      <bdi class="words">
        {piecesOf(passage.text, quotes, stretch).map((piece, place) =>
          piece.kind ? (
            <mark key={place} class={piece.kind}>
              {piece.text}
            </mark>
          ) : (
            <span key={place}>{piece.text}</span>
          ),
        )}
      </bdi>
    </div>
  );
}
