import { isObject, type JsonObject, keepTextsIn, parseJsonText, stringifyJson } from '@tenon/base';
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
const STRUCTURED = 'structuredContent';

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
  const wrapped = outputSchema && outputSchema.type !== 'object' && isObject(structuredContent);
  const [holder, key] = wrapped ? [structuredContent, 'result'] : [result, STRUCTURED];
  const value = keepTextsIn({ value: holder[key] }, holder, 'value', key);
  const mark = toValueText(result) === stringifyJson(value) || (outputSchema && value);
  return mark ? { ...rest, _meta: { ...(rest._meta as JsonObject | undefined), [STRUCTURED_CONTENT]: mark } } : rest;
}

/** Returns an object whose member is the JSON of the first text block. The digits of a long number need an object. */
const toValueText = ({ content }: JsonObject): string =>
  `{"value":${(content as { text?: unknown }[] | undefined)?.[0]?.text}}`;

function restoreStructuredContent(result: JsonObject): JsonObject {
  if (!isObject(result._meta) || !(STRUCTURED_CONTENT in result._meta)) return result;
  const { [STRUCTURED_CONTENT]: mark, ...meta } = result._meta;
  const { _meta: _, ...rest } = result;
  const unmarked = Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
  try {
    const holder = isObject(mark) ? mark : (parseJsonText(toValueText(result)) as JsonObject);
    return keepTextsIn({ ...unmarked, structuredContent: holder.value }, holder, STRUCTURED, 'value');
  } catch {
    return unmarked;
  }
}
