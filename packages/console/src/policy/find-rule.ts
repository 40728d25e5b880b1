/** Place of a rule in the text of a policy file. */
export interface RulePlace {
  readonly start: number;
  readonly end: number;
}

/** Tokens of a policy file: texts, comments, and marks. */
const TOKEN = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[[\]{}:]/g;

/** Finds a rule by its number, from 1, in the text of a policy file, which may have comments. `undefined`: not found. */
export function findRule(text: string, number: number): RulePlace | undefined {
  let depth = 0;
  let name = '';
  let listDepth = 0;
  let count = 0;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') {
      if (token === '[' && depth === 1 && name === '"rules"') listDepth = depth + 1;
      depth += 1;
      if (token !== '{' || listDepth === 0 || depth !== listDepth + 1) continue;
      count += 1;
      start = index;
    } else if (token === '}' || token === ']') {
      if (token === '}' && listDepth > 0 && depth === listDepth + 1 && count === number)
        return { start, end: index + 1 };
      if (depth === listDepth) listDepth = 0;
      depth -= 1;
    } else if (token.startsWith('"') && depth === 1) name = token;
  }
  return undefined;
}
