import type { TextEdit } from '../mcp-hosts/formats/text-edits.js';

/** A part of a text, from `start` up to `end`. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Changes of a text, by positions of the original. A change inside a replaced part is dropped. */
export class TextEdits {
  readonly #edits: TextEdit[] = [];

  get isEmpty(): boolean {
    return this.#edits.length === 0;
  }

  insert(position: number, text: string): void {
    this.#edits.push({ start: position, end: position, text });
  }

  replace({ start, end }: TextRange, text: string): void {
    this.#edits.push({ start, end, text });
  }

  /** Tells if a position is in a replaced or removed part. */
  isReplaced(position: number): boolean {
    return this.#edits.some(edit => edit.start <= position && position < edit.end);
  }

  /** Returns a part of the text with its changes. */
  apply(text: string, { start, end }: TextRange = { start: 0, end: text.length }): string {
    let result = '';
    let position = start;
    for (const edit of this.#select(start, end)) {
      result += text.slice(position, edit.start) + edit.text;
      position = edit.end;
    }
    return result + text.slice(position, end);
  }

  /** Selects the changes inside a part in their order. Of changes that overlap, the longest one counts. */
  #select(start: number, end: number): TextEdit[] {
    const inside = this.#edits.filter(edit => edit.start >= start && edit.end <= end);
    const replaced = inside
      .filter(edit => edit.end > edit.start)
      .sort((a, b) => b.end - b.start - (a.end - a.start))
      .reduce<TextEdit[]>((applied, edit) => {
        if (applied.every(other => edit.end <= other.start || edit.start >= other.end)) applied.push(edit);
        return applied;
      }, []);
    const inserted = inside.filter(
      edit => edit.end === edit.start && replaced.every(other => edit.start <= other.start || edit.start >= other.end),
    );
    const order = new Map(inside.map((edit, index) => [edit, index]));
    // An insertion comes before a replacement that begins at the same position.
    return [...replaced, ...inserted].sort(
      (a, b) =>
        a.start - b.start ||
        Number(a.end > a.start) - Number(b.end > b.start) ||
        (order.get(a) ?? 0) - (order.get(b) ?? 0),
    );
  }
}
