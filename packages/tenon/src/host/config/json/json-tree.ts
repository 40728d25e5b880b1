import { type MemberNode, parse, type ValueNode } from '@humanwhocodes/momoa';
import { findSyntaxFault, type SyntaxFault, type SyntaxLimits } from './json-syntax.js';

/**
 * The values of a text of JSON with comments and commas at the end, each with where it stands; members that share a name
 * are all there. Or the first thing that is wrong. Goes a few calls deeper with each level: `maxDepth` is what the stack
 * can hold.
 */
export function parseTree(text: string, bounds: Omit<SyntaxLimits, 'lenient'>): ValueNode | SyntaxFault {
  const comments: [number, number][] = [];
  const fault = findSyntaxFault(
    text,
    { ...bounds, lenient: true },
    { onComment: (start, end) => void comments.push([start, end]) },
  );
  if (fault) return fault;
  // By itself the parser goes a call deeper with each comment, takes line breaks in strings, and misplaces an early end.
  return parse(blankComments(text, comments), { mode: 'json', allowTrailingCommas: true }).body;
}

/** The same text with spaces for what it says in comments: all else stays in its place. */
function blankComments(text: string, comments: readonly (readonly [number, number])[]): string {
  let from = 0;
  const parts = comments.flatMap(([start, end]) => {
    const before = text.slice(from, start);
    from = end;
    return [before, ' '.repeat(end - start)];
  });
  return comments.length === 0 ? text : [...parts, text.slice(from)].join('');
}

/** The name of a member, with its escapes read. */
export const getMemberName = ({ name }: MemberNode): string => (name.type === 'String' ? name.value : name.name);

/** Returns the offset of a value. */
export const getOffset = ({ loc }: ValueNode | MemberNode): number => loc.start.offset;
