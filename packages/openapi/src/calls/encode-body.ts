import { createRandomText, decodeBase64, isObject, stringifyJson, toJsonObject } from '@tenon/base';
import { toolError } from 'tenon';
import { isJsonType, isTextType } from '../operations/media-types.js';
import type { OperationBody, OperationField } from '../operations/operation.js';
import { formatMember, toDelimitedText, toPairs } from './serialize-value.js';

/** Body of a request, and the media type that it has. */
export interface EncodedBody {
  readonly type: string;
  readonly body: string | ArrayBuffer;
}

/**
 * Encodes the body of a request by its media type.
 * @throws a tool error for bytes that are not base64
 */
export function encodeBody({ property, type, fields = {} }: OperationBody, args: object): EncodedBody | undefined {
  const value: unknown = Reflect.get(args, property);
  if (value === undefined) return undefined;
  if (isJsonType(type)) return { type, body: stringifyJson(value) };
  if (/x-www-form-urlencoded/i.test(type)) return { type, body: isObject(value) ? toForm(value, fields) : '' };
  if (/^multipart\//i.test(type)) return toMultipart(type, toJsonObject(value), fields);
  const text = formatMember(args, property);
  return {
    type: type.includes('*') ? 'application/octet-stream' : type,
    body: isTextType(type) ? text : toBytes(property, text).buffer,
  };
}

function toForm(value: Readonly<Record<string, unknown>>, fields: Readonly<Record<string, OperationField>>): string {
  const pairs = Object.keys(value).flatMap(name => {
    const field = fields[name];
    // An object without a style is sent as JSON.
    if (field?.style === undefined && isObject(value[name]))
      return toPairs(name, { [name]: stringifyJson(value[name]) }, name, {});
    return value[name] === undefined ? [] : toPairs(name, value, name, field ?? {});
  });
  return pairs.map(pair => pair.join('=')).join('&');
}

function toMultipart(
  type: string,
  value: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, OperationField>>,
): EncodedBody {
  const boundary = `tenon-${createRandomText()}`;
  const chunks: Uint8Array[] = [];
  const encoder = new TextEncoder();
  for (const [name, content] of Object.entries(value)) {
    const field = fields[name] ?? {};
    const items: readonly unknown[] = Array.isArray(content)
      ? field.explode === false
        ? [toDelimitedText(content, field)]
        : content
      : [content];
    for (const [index, item] of items.entries()) {
      if (item === null) continue;
      const part = isObject(item) && field.file === true ? toFilePart(name, item, field) : undefined;
      const partType = part?.type ?? field.type ?? (typeof item === 'object' ? 'application/json' : undefined);
      const head = [
        `--${boundary}`,
        `content-disposition: form-data; name="${escapeName(name)}"${part === undefined ? '' : `; filename="${escapeName(part.name)}"`}`,
        ...(partType === undefined ? [] : [`content-type: ${partType.replace(/[^\x20-\x7e]/g, '')}`]),
      ];
      chunks.push(encoder.encode(`${head.join('\r\n')}\r\n\r\n`));
      chunks.push(part?.data ?? encoder.encode(formatMember(items, index)), encoder.encode('\r\n'));
    }
  }
  chunks.push(encoder.encode(`--${boundary}--\r\n`));
  return { type: `${type.split(';', 1)[0]}; boundary=${boundary}`, body: joinAll(chunks).buffer };
}

function toFilePart(
  property: string,
  { data, name, type }: Readonly<Record<string, unknown>>,
  field: OperationField,
): { readonly data: Uint8Array; readonly name: string; readonly type: string } {
  return {
    data: toBytes(property, String(data)),
    name: typeof name === 'string' && name !== '' ? name : property,
    type: typeof type === 'string' && type !== '' ? type : (field.type ?? 'application/octet-stream'),
  };
}

/** Quotes and line ends would end the name. */
const escapeName = (name: string): string => name.replace(/["\r\n]/g, encodeURIComponent);

function toBytes(property: string, text: string): Uint8Array<ArrayBuffer> {
  try {
    return decodeBase64(text);
  } catch {
    throw toolError(`"${property}": expected bytes in base64.`);
  }
}

function joinAll(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const chunk of chunks) {
    all.set(chunk, end);
    end += chunk.length;
  }
  return all;
}
