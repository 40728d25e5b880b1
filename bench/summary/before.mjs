// @ts-check
/**
 * Figures of an independent measurement before the work on speed of November 2026, on another machine with the same drivers
 * ± 10 %, by the name of the row.
 */
const both = 'on 2025-11-25 / 2026-07-28';

/** @type {Readonly<Record<string, string>>} */
export const before = {
  'HTTP `tools/call`, 2026-07-28': '1.01 to 1.13 ×',
  'HTTP `tools/call`, 2025-11-25, in a session': '1.40 to 1.64 ×',
  [`in memory, client and server, 64 in flight, ${both}`]: '5.0 to 5.6 ×, by reference',
  [`client over HTTP, 16 in flight, ${both}`]: '1.30 to 1.46 × / 1.16 to 1.24 ×',
  'cold start on stdio, JSON Schema, time / CPU': '1.30 to 1.46 ×',
  'cold start on stdio, zod, time / CPU': '2.2 to 2.4 ×',
  [`\`resources/read\` of 10 MB binary, client and server, ${both}`]: '7 to 11 × (340 to 400 ms)',
  'a result of 5,000 items against its output schema, client': '54 ms (v2 14, not validated 9.6)',
  '100,000 small objects in, zod / JSON Schema': '2.5 × (72 ms)',
  'a resource by one of 10,000 templates': '15 ms, n^1.7',
  'a question and its answer, both ends, 1 / 16 calls in flight': '312 to 604 µs',
  'tasks begun on SQLite, 1 / 16 in flight': '0.41 to 0.45 × (495 to 551/s)',
  'a task that ends at once: until the result, and results per second': '1,000 ms, 59/s',
  'a step in a task of 3,000': 'n^1.7 to n^1.9',
  [`gateway, HTTP behind HTTP, ${both}`]: '2.4 to 3.8 × (427 to 491 µs)',
  '`protect`, a token that was verified before': '49 to 55 µs',
  [`heap of an open stream, ${both}`]: '12.5 / 8.7 KiB (floor 4.9)',
  [`a notification to 5,000 listeners, longest turn, ${both}`]: '100 ms',
  'bundle: stdio / HTTP server / client, min + gzip': '49 / 55 / 54 KiB',
  'type-check of 200 tools: CPU, TypeScript 7 / 5.9': '0.93 / 0.91 ×',
  'type-check of 200 tools: memory': '0.88 ×',
};
