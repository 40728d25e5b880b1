import { isObject, type JsonObject } from '../jsonrpc/message.js';
import { r20250326 } from './2025-03-26.js';
import { chain, each, within, without } from './change.js';
import type { About } from './dialect.js';
import { revise } from './revision.js';

/**
 * Marks a result that would have structured content: `true` where its first text block is the JSON of that, else it is
 * here, as `value`. A caller that knows of it has the value, whatever the revision.
 */
const STRUCTURED = 'tenon/structured';

const untitled = without('title');
const undated = within('annotations', without('lastModified'));
const bare = without('_meta');

/** https://modelcontextprotocol.io/specification/2025-06-18/changelog */
export const r20250618 = revise(r20250326, {
  revision: '2025-06-18',
  http: { batches: false, versionHeader: true },
  server: { adds: ['elicitation/create'] },
  changes: [
    // Tools have an output schema and results structured content.
    {
      down: { parts: { tool: without('outputSchema') }, result: { 'tools/call': unstructured } },
      up: { result: { 'tools/call': structured } },
    },
    // A result may link to resources.
    { down: { parts: { content: linkToText } } },
    // Servers elicit.
    { down: { parts: { clientCapabilities: without('elicitation') } } },
    // Everything with a name has a title.
    {
      down: {
        parts: {
          tool: untitled,
          resource: untitled,
          template: untitled,
          prompt: chain(untitled, each('arguments', untitled)),
          implementation: untitled,
        },
        params: { 'completion/complete': within('ref', untitled) },
      },
    },
    // Completion knows the arguments so far.
    { down: { params: { 'completion/complete': without('context') } } },
    // Annotations have a last modified time.
    {
      down: { parts: { content: undated, sampled: undated, resource: undated, template: undated } },
    },
    // More types have _meta.
    {
      down: {
        parts: {
          tool: bare,
          resource: bare,
          template: bare,
          prompt: bare,
          root: bare,
          content: chain(bare, within('resource', bare)),
          sampled: bare,
        },
        result: { 'resources/read': each('contents', bare) },
      },
    },
  ],
});

function linkToText(block: JsonObject): JsonObject {
  if (block.type !== 'resource_link') return block;
  const { title, name, uri, description, annotations } = block;
  const text = `${title ?? name}: ${uri}${description ? ` (${description})` : ''}`;
  return { type: 'text', text, ...(annotations === undefined ? {} : { annotations }) };
}

function unstructured(result: JsonObject, { outputSchema }: About): JsonObject {
  if (!('structuredContent' in result)) return result;
  const { structuredContent, ...rest } = result;
  // A value that is no object comes wrapped from the revisions after; its text does not.
  const wrapped = outputSchema !== undefined && outputSchema.type !== 'object' && isObject(structuredContent);
  const value = wrapped ? structuredContent.result : structuredContent;
  const mark = isTextOf(rest.content, value) || (outputSchema && { value });
  return mark ? { ...rest, _meta: { ...(rest._meta as JsonObject | undefined), [STRUCTURED]: mark } } : rest;
}

function isTextOf(content: unknown, value: unknown): boolean {
  const first = Array.isArray(content) ? content[0] : undefined;
  return isObject(first) && first.type === 'text' && first.text === JSON.stringify(value);
}

function structured(result: JsonObject): JsonObject {
  if (!isObject(result._meta) || !(STRUCTURED in result._meta)) return result;
  const { [STRUCTURED]: mark, ...meta } = result._meta;
  const { _meta: _, ...rest } = result;
  const unmarked = Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
  if (isObject(mark) && 'value' in mark) return { ...unmarked, structuredContent: mark.value };
  try {
    return { ...unmarked, structuredContent: JSON.parse((result.content as { text: string }[])[0]?.text ?? '') };
  } catch {
    return unmarked;
  }
}
