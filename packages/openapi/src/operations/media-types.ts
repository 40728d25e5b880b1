import type { DocumentSet, Located } from '../document/document-set.js';

/** Tells if a media type is one of JSON. */
export const isJsonType = (type: string): boolean => /[/+]json\b/i.test(type);

/** Tells if a media type is one of texts. */
export const isTextType = (type: string): boolean =>
  /^text\/|[/+](?:xml|(?:x-)?yaml|javascript|(?:x-)?ndjson|jsonl|csv|graphql|toml|sql)\b/i.test(type);

/** Ranges that include JSON. */
const RANGE = /^(?:\*|application)\/\*$/;

/** Maximum depth of `allOf`, `anyOf` and `oneOf` in which members are looked for. */
const MAX_DEPTH = 4;

/** Keywords that only a schema of objects or lists has. */
const STRUCTURES = ['properties', 'items', 'additionalProperties', 'required'] as const;

/** Media type of a body or a response, with the value that describes it. */
export interface MediaEntry {
  readonly type: string;
  readonly media: Located;
}

/**
 * Finds the JSON of a body or a response. A range of types is JSON if its schema is one of objects or lists, because bytes
 * have no members.
 */
export function findJson(
  content: Readonly<Record<string, unknown>>,
  location: string,
  documents: DocumentSet,
): MediaEntry | undefined {
  const entries = Object.entries(content);
  const [type, value] = entries.find(([each]) => isJsonType(each)) ?? [];
  if (type !== undefined) return { type, media: { value, location } };
  const [, range] =
    entries.find(([each, media]) => RANGE.test(each) && isStructure({ value: media, location }, documents)) ?? [];
  return range === undefined ? undefined : { type: 'application/json', media: { value: range, location } };
}

function isStructure(media: Located, documents: DocumentSet): boolean {
  const { value, location } = documents.follow(media);
  return hasMembers({ value: value.schema, location }, documents, 0);
}

function hasMembers(schema: Located, documents: DocumentSet, depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  const { value, location } = documents.follow(schema);
  const types = [value.type].flat();
  if (types.includes('object') || types.includes('array')) return true;
  const parts = [value.allOf, value.anyOf, value.oneOf].flatMap(each => (Array.isArray(each) ? each : []));
  return (
    STRUCTURES.some(keyword => value[keyword] !== undefined) ||
    parts.some(each => hasMembers({ value: each, location }, documents, depth + 1))
  );
}
