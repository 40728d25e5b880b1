import { MAX_LINE } from './audit-line.js';

/** Complete line, or the length of a last line without a line feed. */
export type AuditChunk = { readonly line: string } | { readonly rest: number };

/**
 * Splits bytes or texts into lines. A text may be several lines, or one line without a line feed. A line over the
 * maximum length is shortened, but is still too long.
 */
export async function* splitLines(source: AsyncIterable<string | Uint8Array>): AsyncGenerator<AuditChunk> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let held = '';
  let skipped = 0;
  for await (const chunk of source) {
    if (typeof chunk === 'string' && !chunk.includes('\n')) {
      yield { line: held + chunk };
      held = '';
      continue;
    }
    const lines = `${held}${typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })}`.split('\n');
    held = lines.pop() ?? '';
    if (lines.length > 0) skipped = 0;
    for (const line of lines) yield { line };
    const start = held.slice(0, MAX_LINE + 1);
    skipped += held.length - start.length;
    held = start;
  }
  held += decoder.decode();
  if (held !== '') yield { rest: held.length + skipped };
}
