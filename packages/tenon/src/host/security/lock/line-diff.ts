/** Maximum number of steps of a comparison: beyond it all lines count as removed and added. */
const MAX_STEPS = 1_000_000;
/** Maximum length of a line before it is broken, at the end of a sentence or at this length. */
const MAX_LINE_LENGTH = 160;

export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** Computes the removed and added lines between two texts; long lines are compared sentence by sentence. */
export function diffLines(before: string | undefined, after: string | undefined): DiffLine[] {
  const [a, b] = [splitText(before), splitText(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return [
    ...createDiffLines(' ', a.slice(0, start)),
    ...diffMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...createDiffLines(' ', a.slice(a.length - end)),
  ];
}

function splitText(text: string | undefined): string[] {
  if (text === undefined) return [];
  return text.split('\n').flatMap(line => (line.length <= MAX_LINE_LENGTH ? [line] : splitSentences(line)));
}

/** Broken where the content says so, so that what comes after a change is broken in the same places as before. */
function splitSentences(line: string): string[] {
  return line.split(/(?<=[.!?;] )/).flatMap(part => part.match(new RegExp(`.{1,${MAX_LINE_LENGTH}}`, 'gsu')) ?? []);
}

const createDiffLines = (sign: DiffLine['sign'], lines: readonly string[]): DiffLine[] =>
  lines.map(text => ({ sign, text }));

function diffMiddle(a: readonly string[], b: readonly string[]): DiffLine[] {
  if (a.length * b.length > MAX_STEPS) return [...createDiffLines('-', a), ...createDiffLines('+', b)];
  const longest = createTable(a, b);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [x, y] = [a[i], b[j]];
    if (x !== undefined && x === y) {
      lines.push({ sign: ' ', text: x });
      i += 1;
      j += 1;
    } else if (x !== undefined && (y === undefined || getCell(longest, i + 1, j) >= getCell(longest, i, j + 1))) {
      lines.push({ sign: '-', text: x });
      i += 1;
    } else {
      lines.push({ sign: '+', text: y ?? '' });
      j += 1;
    }
  }
  return lines;
}

/** Computes the number of common lines of the rests of both texts, from each place on. */
function createTable(a: readonly string[], b: readonly string[]): Uint32Array[] {
  const rows = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const row = rows[i] as Uint32Array;
    for (let j = b.length - 1; j >= 0; j -= 1) {
      row[j] =
        a[i] === b[j] ? getCell(rows, i + 1, j + 1) + 1 : Math.max(getCell(rows, i + 1, j), getCell(rows, i, j + 1));
    }
  }
  return rows;
}

const getCell = (rows: readonly Uint32Array[], i: number, j: number): number => rows[i]?.[j] ?? 0;
