/**
 * Parses the JSON of a message as a peer sent it. One byte order mark in front is ignored, as RFC 8259 allows: programs that
 * write UTF-8 with a mark mean plain JSON. No message of ours begins with one. Throws a `SyntaxError`.
 */
export function parseJson(text: string): unknown {
  return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
}
