import { isObject, stringifyJson, stringifyMember } from '@tenon/base';
import type { ValueStyle } from '../operations/operation.js';

/** Name and value of a part of a query, a cookie or a form. Both are encoded. */
type Pair = readonly [name: string, value: string];

/** Encodes a text for a place of a request. */
type Encode = (text: string) => string;

/** Maximum depth of objects within objects, for `deepObject`. */
const MAX_DEPTH = 16;

/** Separators of the elements of one value, by its style. */
const SEPARATORS: Readonly<Record<string, string>> = {
  spaceDelimited: '%20',
  pipeDelimited: '%7C',
  tabDelimited: '%09',
};

/** Encodes a text for a path or a cookie. */
export const encodeText: Encode = text => encodeURIComponent(toWellFormed(text));

/** Encodes a text for a query, where `+` is a space. */
export const encodeQuery: Encode = text => encodeText(text).replace(/%20/g, '+');

/** Encodes a text for a query, without the reserved characters that do not end the value. */
const encodeReserved: Encode = text =>
  encodeQuery(text).replace(/%(?:3A|2F|3F|5B|5D|40|24|2C|3B|3D)/g, decodeURIComponent);

/** A lone surrogate has no encoding. */
const toWellFormed = (text: string): string =>
  text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD');

/** Formats a member of an object or a list, with all digits of long numbers. */
export function formatMember(owner: object, key: string | number): string {
  const value: unknown = Reflect.get(owner, key);
  if (typeof value === 'number') return stringifyMember(owner, key);
  return typeof value === 'object' && value !== null ? stringifyJson(value) : String(value);
}

/** Serializes a member of the arguments as a parameter of a path. */
export function toPathText(name: string, owner: object, key: string, { style, explode = false }: ValueStyle): string {
  const value: unknown = Reflect.get(owner, key);
  const isPlainObject = isObject(value);
  const parts = listParts(owner, key, encodeText);
  const list = isPlainObject && explode ? parts.map(part => part.join('=')) : parts.flat();
  if (style === 'label') return `.${list.join(explode ? '.' : ',')}`;
  if (style !== 'matrix') return list.join(',');
  if (!explode) return `;${encodeText(name)}=${list.join(',')}`;
  return isPlainObject ? `;${list.join(';')}` : list.map(each => `;${encodeText(name)}=${each}`).join('');
}

/** Serializes a member of the arguments as the value of a header. */
export function toHeaderText(owner: object, key: string, { explode = false }: ValueStyle): string {
  const parts = listParts(owner, key, text => text);
  return isObject(Reflect.get(owner, key)) && explode
    ? parts.map(part => part.join('=')).join(',')
    : parts.flat().join(',');
}

/** Joins the elements of a list to one text, which is not encoded. */
export const toDelimitedText = (list: readonly unknown[], { style }: ValueStyle): string =>
  listParts({ list }, 'list', text => text)
    .flat()
    .join(decodeURIComponent(SEPARATORS[style ?? ''] ?? ','));

/** Serializes a member of the arguments as parts of a query, a cookie or a form. `null` has no part. */
export function toPairs(
  name: string,
  owner: object,
  key: string,
  { style, explode = true, allowReserved }: ValueStyle,
  encode: Encode = allowReserved === true ? encodeReserved : encodeQuery,
): readonly Pair[] {
  const value: unknown = Reflect.get(owner, key);
  if (value === null) return [];
  if (style === 'deepObject') return listDeep(encode(name), owner, key, encode, 0);
  const isList = Array.isArray(value);
  if (!isList && !isObject(value)) return [[encode(name), encode(formatMember(owner, key))]];
  const parts = listParts(owner, key, encode);
  // RFC 6570 treats a list or an object without members as undefined.
  if (parts.length === 0) return [];
  if (explode) return isList ? parts.flat().map(each => [encode(name), each]) : parts.map(([k = '', v = '']) => [k, v]);
  return [[encode(name), parts.flat().join(SEPARATORS[style ?? ''] ?? ',')]];
}

/** Lists the encoded elements of a list, each alone, or the names and values of an object, or the one value. `null` is none. */
function listParts(owner: object, key: string, encode: Encode): readonly (readonly string[])[] {
  const value: unknown = Reflect.get(owner, key);
  if (Array.isArray(value))
    return value.flatMap((each, index) => (each === null ? [] : [[encode(formatMember(value, index))]]));
  if (!isObject(value)) return [[encode(formatMember(owner, key))]];
  return Object.keys(value).flatMap(name =>
    value[name] === null ? [] : [[encode(name), encode(formatMember(value, name))]],
  );
}

/** Lists `name[key]=value` for each value in an object or a list. */
function listDeep(name: string, owner: object, key: string | number, encode: Encode, depth: number): readonly Pair[] {
  const value: unknown = Reflect.get(owner, key);
  if (value === null) return [];
  if (typeof value !== 'object' || depth >= MAX_DEPTH) return [[name, encode(formatMember(owner, key))]];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return keys.flatMap(each => listDeep(`${name}[${encode(String(each))}]`, value, each, encode, depth + 1));
}
