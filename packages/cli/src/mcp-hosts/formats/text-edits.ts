/** Replacement of a part of a text. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function createInsertion(offset: number, text: string): TextEdit {
  return { start: offset, end: offset, text };
}

/** Applies edits that do not overlap. Edits at the same place are applied in their order. */
export function applyTextEdits(text: string, edits: readonly TextEdit[]): string {
  let result = '';
  let done = 0;
  for (const { start, end, text: inserted } of [...edits].sort((a, b) => a.start - b.start)) {
    result += text.slice(done, start) + inserted;
    done = end;
  }
  return result + text.slice(done);
}

/** Returns the line end of a text: that of its first line, else a line feed. */
export function detectLineEnd(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

/** Returns the indentation of one level: that of the first indented line, else two spaces. */
export function detectUnit(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
}

/** Returns the white space at the start of the line that contains an offset. */
export function getLineIndent(text: string, offset: number): string {
  const start = findLineStart(text, offset);
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? '';
}

export function findLineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Returns the offset of the line end after an offset, or the length of the text. */
export function findLineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  if (end < 0) return text.length;
  return text[end - 1] === '\r' && end > offset ? end - 1 : end;
}

/** Returns the offset after the last character that is no white space, up to a limit. */
export function findContentEnd(text: string, limit = text.length): number {
  return text.slice(0, limit).trimEnd().length;
}

/** Counts lines and columns from 1. */
export function getTextPosition(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - findLineStart(text, offset) + 1 };
}

/** Returns a function that finds the line of a value, or else that of the nearest value around it. */
export function createNearestFinder(
  findLine: (path: readonly (string | number)[]) => number | undefined,
): (path: readonly (string | number)[]) => number | undefined {
  return path => {
    for (let length = path.length; length > 0; length--) {
      const line = findLine(path.slice(0, length));
      if (line !== undefined) return line;
    }
    return 1;
  };
}
