import { isObject, type JsonObject } from '../jsonrpc/message.js';
import { r20250326 } from './2025-03-26.js';
import { chain, each, within, without } from './change.js';
import { revise } from './revision.js';

/** Marks a result whose first text block is the JSON of what would be its structured content. */
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
    {
      says: 'Tools have an output schema and results structured content.',
      down: { parts: { tool: without('outputSchema') }, result: { 'tools/call': unstructured } },
      up: { result: { 'tools/call': structured } },
    },
    { says: 'A result may link to resources.', down: { parts: { content: linkToText } } },
    { says: 'Servers elicit.', down: { parts: { clientCapabilities: without('elicitation') } } },
    {
      says: 'Everything with a name has a title.',
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
    { says: 'Completion knows the arguments so far.', down: { params: { 'completion/complete': without('context') } } },
    {
      says: 'Annotations have a last modified time.',
      down: { parts: { content: undated, sampled: undated, resource: undated, template: undated } },
    },
    {
      says: 'More types have _meta.',
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

function unstructured(result: JsonObject): JsonObject {
  if (!('structuredContent' in result)) return result;
  const { structuredContent, ...rest } = result;
  if (!isFallback(rest.content, structuredContent)) return rest;
  return { ...rest, _meta: { ...(rest._meta as JsonObject | undefined), [STRUCTURED]: true } };
}

/** A look at the ends is enough: the text was made from the value, or by hand. */
function isFallback(content: unknown, structured: unknown): boolean {
  const first = Array.isArray(content) ? content[0] : undefined;
  return isObject(first) && first.type === 'text' && first.text === JSON.stringify(structured);
}

function structured(result: JsonObject): JsonObject {
  const meta = result._meta;
  if (!isObject(meta) || meta[STRUCTURED] !== true || !Array.isArray(result.content)) return result;
  try {
    return { ...result, structuredContent: JSON.parse(result.content[0].text) };
  } catch {
    return result;
  }
}
