const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Tells if JSON text has more levels of arrays and objects than `limit`. It scans the text before parsing, because
 * parsing sixteen million `[` would create as many arrays. It does not scan a text that is too short to close its
 * brackets, and it skips strings with `indexOf`.
 */
export function exceedsDepth(text: string, limit: number): boolean {
  if (text.length <= 2 * limit) return false;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      index = findStringEnd(text, index);
      if (index === -1) return false;
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > limit) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}

function findStringEnd(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote;
}

function isEscaped(text: string, index: number): boolean {
  let before = index - 1;
  while (text.charCodeAt(before) === BACKSLASH) before--;
  return (index - before) % 2 === 0;
}
