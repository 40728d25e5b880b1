import {
  type Check,
  checkArray,
  checkBoolean,
  checkObject,
  checkOneOf,
  checkRange,
  checkString,
  checkWhole,
  isObject,
  type JsonObject,
  stringifyJson,
  takeBeginning,
} from '@tenon/base';
import { isBase64 } from '../proxy/output/base64-range.js';

/**
 * Corrects a value in the form of the specification. Returns the same value if it is valid, another one if a part of it
 * was corrected, and `undefined` if it must be left out. Adds the path of each correction to `paths`.
 */
type Correction = (value: unknown, path: string, paths: string[]) => unknown;

/** Maximum number of values of a completion. */
const MAX_COMPLETIONS = 100;
/** Maximum length of the JSON of a content block of an unknown type that is sent as text. */
const MAX_UNKNOWN_BLOCK = 2000;
/** Maximum length of a time that is read. */
const MAX_TIME = 64;
const ISO_TIME = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const keep =
  (check: Check): Correction =>
  (value, path, paths) => {
    if (check(value) === undefined) return value;
    paths.push(path);
    return undefined;
  };

/** Corrects the members of an object that it has. Leaves out a value that is no object, or that lacks what it requires. */
const inMembers =
  (corrections: { readonly [name: string]: Correction }, required: Check = checkObject()): Correction =>
  (value, path, paths) => {
    if (!isObject(value) || required(value) !== undefined) {
      paths.push(path);
      return undefined;
    }
    let corrected: JsonObject | undefined;
    for (const name in corrections) {
      const member = value[name];
      const next = member === undefined ? undefined : corrections[name]?.(member, join(path, name), paths);
      if (next === member) continue;
      corrected ??= { ...value };
      corrected[name] = next;
    }
    return corrected ?? value;
  };

/** Corrects the values of an object, whatever their names are. */
const inValues =
  (correction: Correction): Correction =>
  (value, path, paths) =>
    inMembers(Object.fromEntries(Object.keys(Object(value)).map(name => [name, correction])))(value, path, paths);

/** Corrects the items of an array. Leaves out a value that is no array. */
const inItems =
  (correction: Correction): Correction =>
  (value, path, paths) => {
    if (!Array.isArray(value)) {
      paths.push(path);
      return undefined;
    }
    let corrected: unknown[] | undefined;
    for (let index = 0; index < value.length; index += 1) {
      const item: unknown = value[index];
      const next = correction(item, join(path, String(index)), paths);
      if (next !== item) corrected ??= value.slice(0, index);
      if (next !== undefined) corrected?.push(next);
    }
    return corrected ?? value;
  };

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Many servers write a date alone, or a time without its offset, which then counts as UTC. */
const correctTime: Correction = (value, path, paths) => {
  const text = typeof value === 'string' && value.length <= MAX_TIME ? value : '';
  const time = formatTime(/^\d{4}-\d\d-\d\dT[\d:.]+$/.test(text) ? `${text}Z` : text);
  // `Date` reads the 30th of February as a day in March.
  const isDay = formatTime(text.slice(0, 10)).startsWith(text.slice(0, 10));
  if (time !== '' && isDay && ISO_TIME.test(text)) return value;
  paths.push(path);
  return ISO_TIME.test(time) ? time : undefined;
};

function formatTime(text: string): string {
  const time = Date.parse(text);
  return Number.isNaN(time) ? '' : new Date(time).toISOString();
}

/** Some servers write a data URL, the alphabet of URLs, line breaks, or no padding. */
const correctBase64: Correction = (value, path, paths) => {
  if (typeof value === 'string' && isBase64(value)) return value;
  paths.push(path);
  if (typeof value !== 'string') return undefined;
  const unpadded = dropPadding(value.replace(/^data:[^,]{0,256};base64,/i, '').replace(/\s+/g, ''));
  const plain = unpadded.replaceAll('-', '+').replaceAll('_', '/');
  // One character more than a group of four encodes no byte.
  if (plain.length % 4 === 1) return undefined;
  const base64 = plain.padEnd(Math.ceil(plain.length / 4) * 4, '=');
  return isBase64(base64) ? base64 : undefined;
};

/** An expression for the signs at the end takes quadratic time if another character follows them. */
function dropPadding(base64: string): string {
  let end = base64.length;
  while (base64[end - 1] === '=') end -= 1;
  return base64.slice(0, end);
}

const flag = keep(checkBoolean);
const text = keep(checkString);
const anObject = keep(checkObject());
const common = {
  _meta: anObject,
  annotations: inMembers({
    title: text,
    readOnlyHint: flag,
    destructiveHint: flag,
    idempotentHint: flag,
    openWorldHint: flag,
    audience: keep(checkArray(checkOneOf('user', 'assistant'))),
    priority: keep(checkRange('a number from 0 to 1', 0, 1)),
    lastModified: correctTime,
  }),
};
const icons = inItems(
  inMembers(
    { mimeType: text, sizes: keep(checkArray(checkString)), theme: keep(checkOneOf('light', 'dark')) },
    checkObject({ src: checkString }),
  ),
);

/** A schema of a property may be true or false, which the dialect of the caller writes as an object if it must. */
const correctProperties: Correction = (value, path, paths) => {
  if (!isObject(value)) return anObject(value, path, paths);
  const malformed = Object.keys(value).filter(name => !isObject(value[name]) && typeof value[name] !== 'boolean');
  paths.push(...malformed.map(name => join(path, name)));
  return malformed.length === 0 ? value : { ...value, ...Object.fromEntries(malformed.map(name => [name, {}])) };
};
const correctSchema = inMembers({ properties: correctProperties, required: keep(checkArray(checkString)) });

const correctInputSchema: Correction = (value, path, paths) => {
  const schema = correctSchema(value, path, paths);
  if (isObject(schema) && schema.type === 'object') return schema;
  paths.push(join(path, 'type'));
  return { ...(isObject(schema) && schema), type: 'object' };
};

/** Members of tools, prompts, resources, templates and links to resources. */
const correctEntry = inMembers({
  ...common,
  icons,
  size: keep(checkWhole('a whole number of bytes', 0)),
  inputSchema: correctInputSchema,
  outputSchema: correctSchema,
  execution: inMembers({ taskSupport: keep(checkOneOf('forbidden', 'optional', 'required')) }),
  arguments: inItems(inMembers({ required: flag })),
});

const inContents = inMembers({ _meta: anObject, blob: correctBase64 });
const contents: Correction = (value, path, paths) => {
  const corrected = inContents(value, path, paths);
  // Bytes that are not encoded are text.
  const isText = isObject(value) && isObject(corrected) && value.blob !== undefined && corrected.blob === undefined;
  return isText ? { ...corrected, text: corrected.text ?? String(value.blob) } : corrected;
};

const inMedia = inMembers({ ...common, data: correctBase64 });
const correctMedia: Correction = (value, path, paths) => {
  const corrected = inMedia(value, path, paths);
  if (!isObject(corrected) || corrected.data !== undefined) return corrected;
  const { type, mimeType, annotations } = corrected;
  const shown = `[${type}, ${mimeType}: not shown, because the server did not encode it as base64]`;
  return { type: 'text', text: shown, ...(annotations !== undefined && { annotations }) };
};
const blocks: ReadonlyMap<unknown, Correction> = new Map([
  ['text', inMembers(common)],
  ['image', correctMedia],
  ['audio', correctMedia],
  ['resource_link', correctEntry],
  ['resource', inMembers({ ...common, resource: contents })],
]);

const block: Correction = (value, path, paths) => {
  const type = isObject(value) ? value.type : undefined;
  const correction = blocks.get(type);
  if (correction !== undefined) return correction(value, path, paths);
  paths.push(path);
  const json = stringifyJson(value);
  const isShort = json.length <= MAX_UNKNOWN_BLOCK;
  return { type: 'text', text: isShort ? json : `[content of the type ${takeBeginning(String(type), 64)}: not shown]` };
};

const inCompletion = inMembers({ total: keep(checkWhole('a whole number, at least 0', 0)) });
const completion: Correction = (value, path, paths) => {
  const corrected = inCompletion(value, path, paths);
  if (!isObject(corrected) || !Array.isArray(corrected.values) || corrected.values.length <= MAX_COMPLETIONS)
    return corrected;
  const { values } = corrected;
  paths.push(join(path, 'values'));
  return { total: values.length, ...corrected, values: values.slice(0, MAX_COMPLETIONS), hasMore: true };
};

const correctOpening = inMembers({
  capabilities: inMembers({
    tools: anObject,
    resources: anObject,
    prompts: anObject,
    logging: anObject,
    completions: anObject,
    experimental: inValues(anObject),
  }),
  serverInfo: inMembers({ title: text, description: text, websiteUrl: text, icons }),
  instructions: text,
});

const results: ReadonlyMap<string, Correction> = new Map([
  ['initialize', correctOpening],
  ['server/discover', correctOpening],
  ['tools/list', inMembers({ tools: inItems(correctEntry) })],
  ['prompts/list', inMembers({ prompts: inItems(correctEntry) })],
  ['resources/list', inMembers({ resources: inItems(correctEntry) })],
  ['resources/templates/list', inMembers({ resourceTemplates: inItems(correctEntry) })],
  ['tools/call', inMembers({ content: inItems(block), _meta: anObject })],
  ['prompts/get', inMembers({ description: text, messages: inItems(inMembers({ content: block })), _meta: anObject })],
  ['resources/read', inMembers({ contents: inItems(contents), _meta: anObject })],
  ['completion/complete', inMembers({ completion, _meta: anObject })],
]);

/**
 * Corrects the members of a result that break the specification, and that a client may ignore. Many clients refuse the
 * whole result because of one: a list without the tools of all other servers, or the result of a call that has been
 * carried out. Returns the same object if there are none.
 */
export function toStrictResult(method: string, result: JsonObject, paths: string[] = []): JsonObject {
  const corrected = results.get(method)?.(result, '', paths);
  return isObject(corrected) ? corrected : result;
}

/**
 * Lists the paths of the members of a result that break the specification. Many clients refuse the whole result because of
 * one of them. A gateway corrects them, or leaves them out.
 *
 * @param method Method of the request, such as `tools/list`.
 */
export function listMalformedMembers(method: string, result: JsonObject): readonly string[] {
  const paths: string[] = [];
  toStrictResult(method, result, paths);
  return paths;
}

/** Corrects an entry of a list. Returns the same entry if nothing in it breaks the specification. */
export function toStrictEntry<Entry extends object>(entry: Entry): Entry {
  const corrected = correctEntry(entry, '', []);
  return corrected === entry || !isObject(corrected) ? entry : { ...entry, ...corrected };
}
