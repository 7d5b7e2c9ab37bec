/** A stretch of a text, in characters of the text. */
export interface Stretch {
  start: number;
  end: number;
}

/** The stretch of `box`'s text that the user has selected; null for none. */
export function selectedIn(box: HTMLElement): Stretch | null {
  const selection = getSelection();
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  if (!box.contains(range.startContainer) || !box.contains(range.endContainer)) return null;
  const before = document.createRange();
  before.setStart(box, 0);
  before.setEnd(range.startContainer, range.startOffset);
  const start = before.toString().length;
  return { start, end: start + range.toString().length };
}

/** The stretch without white space at its ends; null if nothing is left. */
export function trimmed(text: string, { start, end }: Stretch): Stretch | null {
  const part = text.slice(start, end);
  const first = start + (part.length - part.trimStart().length);
  const last = end - (part.length - part.trimEnd().length);
  return first < last ? { start: first, end: last } : null;
}

export function wordsOf(text: string): Stretch[] {
  return [...text.matchAll(/\S+/g)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
}

export interface Piece {
  text: string;
  kind: "" | "quoted" | "cursor";
}

/** The text in pieces: passages that are quoted, and the stretch of the cursor. */
export function piecesOf(text: string, quotes: string[], cursor: Stretch | null): Piece[] {
  const kinds = new Array<Piece["kind"]>(text.length).fill("");
  for (const quote of quotes) {
    const at = quote ? text.indexOf(quote) : -1;
    if (at >= 0) kinds.fill("quoted", at, at + quote.length);
  }
  if (cursor) kinds.fill("cursor", cursor.start, cursor.end);
  const pieces: Piece[] = [];
  let start = 0;
  for (let at = 1; at <= text.length; at++) {
    if (at === text.length || kinds[at] !== kinds[start]) {
      pieces.push({ text: text.slice(start, at), kind: kinds[start] ?? "" });
      start = at;
    }
  }
  return pieces;
}
