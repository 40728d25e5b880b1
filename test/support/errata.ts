import type { SchemaNode } from './schema-file.js';

/**
 * Mends the points in which the JSON Schema files differ from the `schema.ts` that they are made from; `schema.ts` is
 * the normative one.
 *
 * - `ElicitResult.content`: `string | number | boolean | string[]`; the files say integer.
 * - `JSONValue` (2026-07-28): any JSON value; the file says integer and leaves out null.
 *
 * Looser readings that are no error of the files are in `judge.ts`.
 */
export function mend(definitions: Record<string, SchemaNode>): Record<string, SchemaNode> {
  const mended = structuredClone(definitions);
  const content = mended.ElicitResult?.properties?.content?.additionalProperties;
  if (typeof content === 'object') for (const node of [content, ...(content.anyOf ?? [])]) widen(node);
  for (const node of mended.JSONValue?.anyOf ?? []) widen(node, 'null');
  return mended;
}

function widen(node: SchemaNode, ...more: string[]): void {
  if (!Array.isArray(node.type)) return;
  node.type = [...node.type.map(type => (type === 'integer' ? 'number' : type)), ...more];
}
