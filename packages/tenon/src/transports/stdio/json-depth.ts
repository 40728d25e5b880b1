const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Tells if JSON text nests its arrays and objects deeper than `limit`. Scans the text before it is parsed, because
 * sixteen million `[` would otherwise become as many arrays. A text too short to close its brackets is not scanned, and
 * strings are skipped with `indexOf`.
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
