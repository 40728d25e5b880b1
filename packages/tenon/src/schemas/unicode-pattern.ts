/**
 * A pattern as JSON Schema means it, with Unicode: escapes that other regular expression dialects allow and that one
 * does not (`\-`, `\_`) are undone. `undefined` when it is no regular expression.
 */
export function unicodePattern(source: string): string | undefined {
  if (isPattern(source)) return source;
  const repaired = source
    .replace(/\\([^\w\s^$\\.*+?()[\]{}|/]|_)/g, (whole, character: string, at: number) =>
      character === '-' && isInClass(source, at) ? whole : character,
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

function isInClass(source: string, at: number): boolean {
  let inside = false;
  for (let i = 0; i < at; i++) {
    if (source[i] === '\\') i++;
    else if (source[i] === '[') inside = true;
    else if (source[i] === ']') inside = false;
  }
  return inside;
}
