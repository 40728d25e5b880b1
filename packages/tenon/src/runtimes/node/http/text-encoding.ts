/**
 * Returns the encoding in which Node writes a text as UTF-8. A text of ASCII has the same bytes in Latin-1, which Node
 * writes faster.
 */
export function getEncoding(text: string, byteLength: number = Buffer.byteLength(text)): 'latin1' | 'utf8' {
  return byteLength === text.length ? 'latin1' : 'utf8';
}
