/**
 * Splits a command line into words, as a shell does: at spaces that are not quoted. The last word is the one at the end of
 * the line, and may be empty. Variables and commands in the line are not evaluated.
 */
export function splitLine(line: string): string[] {
  const words: string[] = [];
  let word = '';
  let isOpen = false;
  let quote = '';
  for (let index = 0; index < line.length; index++) {
    const char = line.charAt(index);
    if (char === '\\' && quote !== "'") {
      index += 1;
      word += line.charAt(index);
      isOpen = true;
    } else if (quote !== '') {
      if (char === quote) quote = '';
      else word += char;
    } else if (char === "'" || char === '"') {
      quote = char;
      isOpen = true;
    } else if (/\s/.test(char)) {
      if (isOpen) words.push(word);
      word = '';
      isOpen = false;
    } else {
      word += char;
      isOpen = true;
    }
  }
  words.push(word);
  return words;
}
