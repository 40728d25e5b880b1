import { diffArrays } from 'diff';

/** Maximum number of removed and added lines to search for. Above it, all lines count as removed and added. */
const MAX_EDITS = 1000;
/** Maximum length of a line, in characters. Longer lines are split at the end of a sentence or at this length. */
const MAX_LINE_LENGTH = 160;

export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** Computes the removed and added lines between two texts. Long lines are compared sentence by sentence. */
export function diffLines(before: string | undefined, after: string | undefined): DiffLine[] {
  const [a, b] = [splitText(before), splitText(after)];
  const changes = diffArrays(a, b, { maxEditLength: MAX_EDITS });
  if (changes === undefined) return [...toDiffLines('-', a), ...toDiffLines('+', b)];
  return changes.flatMap(({ added, removed, value }) => toDiffLines(added ? '+' : removed ? '-' : ' ', value));
}

function splitText(text: string | undefined): string[] {
  if (text === undefined) return [];
  return text.split('\n').flatMap(line => (line.length <= MAX_LINE_LENGTH ? [line] : splitSentences(line)));
}

/** Splits a line into sentences. Boundaries depend on the content, so that a change does not move later boundaries. */
function splitSentences(line: string): string[] {
  return line.split(/(?<=[.!?;] )/).flatMap(part => part.match(new RegExp(`.{1,${MAX_LINE_LENGTH}}`, 'gsu')) ?? []);
}

const toDiffLines = (sign: DiffLine['sign'], lines: readonly string[]): DiffLine[] =>
  lines.map(text => ({ sign, text }));
