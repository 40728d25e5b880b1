/** Words that only a shell understands. */
const OPERATOR = /^(?:[|&;<>]+|\d*>+.*|.*;)$/s;
/** Variable that is set for one command. */
const ASSIGNMENT = /^[A-Za-z_]\w*=/;

/**
 * Splits a command line into its words, without expanding anything. Quotes keep a word together, and a backslash before a
 * quote or a space is removed; other backslashes are parts of Windows paths. A variable such as `${A:-b c}` stays in one
 * word.
 *
 * Returns `undefined` for a line that needs a shell.
 */
export function splitCommandLine(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  let needsShell = false;
  const finish = (isQuoted: boolean) => {
    if (word === undefined) return;
    needsShell ||= !isQuoted && (OPERATOR.test(word) || (words.length === 0 && ASSIGNMENT.test(word)));
    words.push(word);
    word = undefined;
  };
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    const next = text[at + 1] ?? '';
    const variable = quote === "'" ? undefined : readVariable(text, at);
    if (variable !== undefined) {
      word = (word ?? '') + variable;
      at += variable.length - 1;
    } else if (char === '`' || (char === '$' && next === '(')) return undefined;
    else if (quote !== '' && char === quote) quote = '';
    else if (quote === '' && (char === '"' || char === "'")) {
      quote = char;
      isQuoted = true;
      word ??= '';
    } else if (char === '\\' && quote !== "'" && /["' ]/.test(next)) {
      word = (word ?? '') + next;
      at += 1;
    } else if (quote === '' && /\s/.test(char)) {
      finish(isQuoted);
      isQuoted = false;
    } else word = (word ?? '') + char;
  }
  finish(isQuoted);
  return quote !== '' || needsShell ? undefined : words;
}

/** Returns the variable that begins at a position, up to its closing brace. */
function readVariable(text: string, at: number): string | undefined {
  if (!text.startsWith('${', at)) return undefined;
  let open = 0;
  for (let end = at; end < text.length; end++) {
    if (text[end] === '{') open += 1;
    if (text[end] === '}') open -= 1;
    if (text[end] === '}' && open === 0) return text.slice(at, end + 1);
  }
  return undefined;
}
