/**
 * Converts a pattern of JSON Schema to a regular expression with the `u` flag. Escapes that other regular expression
 * dialects allow (`\-`, `\_`) are removed. Returns `undefined` for an invalid pattern.
 */
export function toUnicodePattern(source: string): string | undefined {
  if (isPattern(source)) return source;
  const repaired = source
    .replace(/\\([^\w\s^$\\.*+?()[\]{}|/]|_)/g, (match, character: string, index: number) =>
      character === '-' && isInClass(source, index) ? match : character,
    )
    .replace(/(\\[wWdDsS])-(?=[^\]])/g, '$1\\-');
  return isPattern(repaired) ? repaired : undefined;
}

function isPattern(source: string): boolean {
  try {
    new RegExp(source, 'u');
    return true;
  } catch {
    return false;
  }
}

function isInClass(source: string, index: number): boolean {
  let inside = false;
  for (let i = 0; i < index; i++) {
    if (source[i] === '\\') i++;
    else if (source[i] === '[') inside = true;
    else if (source[i] === ']') inside = false;
  }
  return inside;
}
