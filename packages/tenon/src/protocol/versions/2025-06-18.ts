import { isObject, type JsonObject, parseJsonText, stringifyJson } from '@tenon/base';
import { v20250326 } from './2025-03-26.js';
import { deriveVersion } from './define-version.js';
import type { TransformContext } from './dialect.js';
import { chain, transformEach, transformMember, without } from './message-transforms.js';

/**
 * Marks a result that has structured content on later versions. `true`: the first text block is its JSON.
 *
 * Otherwise the member `value` has the content. A caller that knows this key gets the structured content on any
 * version.
 */
const STRUCTURED_CONTENT = 'dev.tenon/structuredContent';

const withoutTitle = without('title');
const withoutLastModified = transformMember('annotations', without('lastModified'));
const withoutMeta = without('_meta');

/**
 * The changes of protocol version 2025-06-18.
 * @see https://modelcontextprotocol.io/specification/2025-06-18/changelog
 */
export const v20250618 = deriveVersion(v20250326, {
  protocolVersion: '2025-06-18',
  http: { batches: false, versionHeader: true },
  server: { adds: ['elicitation/create'] },
  changes: [
    // Adds output schemas of tools and structured content of results.
    {
      encode: { parts: { tool: without('outputSchema') }, result: { 'tools/call': removeStructuredContent } },
      decode: { result: { 'tools/call': restoreStructuredContent } },
    },
    // Adds resource links to results.
    { encode: { parts: { content: replaceResourceLink } } },
    // Adds elicitation.
    { encode: { parts: { clientCapabilities: without('elicitation') } } },
    // Adds titles to all items with a name.
    {
      encode: {
        parts: {
          tool: withoutTitle,
          resource: withoutTitle,
          template: withoutTitle,
          prompt: chain(withoutTitle, transformEach('arguments', withoutTitle)),
          implementation: withoutTitle,
        },
        params: { 'completion/complete': transformMember('ref', withoutTitle) },
      },
    },
    // Adds the other arguments to completion requests.
    { encode: { params: { 'completion/complete': without('context') } } },
    // Adds the time of the last change to annotations.
    {
      encode: {
        parts: {
          content: withoutLastModified,
          sampled: withoutLastModified,
          resource: withoutLastModified,
          template: withoutLastModified,
        },
      },
    },
    // Adds `_meta` to more types.
    {
      encode: {
        parts: {
          tool: withoutMeta,
          resource: withoutMeta,
          template: withoutMeta,
          prompt: withoutMeta,
          root: withoutMeta,
          content: chain(withoutMeta, transformMember('resource', withoutMeta)),
          sampled: withoutMeta,
        },
        result: { 'resources/read': transformEach('contents', withoutMeta) },
      },
    },
  ],
});

function replaceResourceLink(block: JsonObject): JsonObject {
  if (block.type !== 'resource_link') return block;
  const { title, name, uri, description, annotations } = block;
  const text = `${title ?? name}: ${uri}${description ? ` (${description})` : ''}`;
  return { type: 'text', text, ...(annotations === undefined ? {} : { annotations }) };
}

function removeStructuredContent(result: JsonObject, { outputSchema }: TransformContext): JsonObject {
  if (!('structuredContent' in result)) return result;
  const { structuredContent, ...rest } = result;
  // Later versions wrap a value that is not an object. The text block contains the bare value.
  const wrapped = outputSchema !== undefined && outputSchema.type !== 'object' && isObject(structuredContent);
  const value = wrapped ? structuredContent.result : structuredContent;
  const mark = isTextOf(rest.content, value) || (outputSchema && { value });
  return mark ? { ...rest, _meta: { ...(rest._meta as JsonObject | undefined), [STRUCTURED_CONTENT]: mark } } : rest;
}

function isTextOf(content: unknown, value: unknown): boolean {
  const first = Array.isArray(content) ? content[0] : undefined;
  return isObject(first) && first.type === 'text' && first.text === stringifyJson(value);
}

function restoreStructuredContent(result: JsonObject): JsonObject {
  if (!isObject(result._meta) || !(STRUCTURED_CONTENT in result._meta)) return result;
  const { [STRUCTURED_CONTENT]: mark, ...meta } = result._meta;
  const { _meta: _, ...rest } = result;
  const unmarked = Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
  if (isObject(mark) && 'value' in mark) return { ...unmarked, structuredContent: mark.value };
  try {
    return { ...unmarked, structuredContent: parseJsonText((result.content as { text: string }[])[0]?.text ?? '') };
  } catch {
    return unmarked;
  }
}
