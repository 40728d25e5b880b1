import { INVALID_REQUEST, PARSE_ERROR } from '../../jsonrpc/codes.js';
import type { ErrorObject } from '../../jsonrpc/message.js';
import type { Exchange } from './exchange.js';
import type { Bounds } from './options.js';

/** Why a body can not be read. */
export interface Unreadable {
  readonly status: number;
  readonly error: ErrorObject;
}

const NOT_JSON: ErrorObject = { code: PARSE_ERROR, message: 'Parse error: the body is not JSON in UTF-8' };

/** Reads the JSON value of a body within its bounds, and calls one of the two. */
export function readJson(
  exchange: Exchange,
  bounds: Bounds,
  read: (value: unknown) => void,
  unreadable: (why: Unreadable) => void,
): void {
  exchange.body(bounds.bodyBytes, body => {
    if ('status' in body) return unreadable(body.status === 413 ? tooLarge(bounds) : { status: 400, error: NOT_JSON });
    let value: unknown;
    if ('value' in body) value = body.value;
    else {
      try {
        value = JSON.parse(body.text);
      } catch {
        return unreadable({ status: 400, error: NOT_JSON });
      }
      // Each level takes two characters: most bodies need no walk.
      if (body.text.length <= bounds.depth * 2) return read(value);
    }
    if (isDeeper(value, bounds.depth)) return unreadable(tooDeep(bounds));
    read(value);
  });
}

/** Whether a value nests more levels than `depth`. Descends no deeper than that itself. */
export function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  if (Array.isArray(value)) return value.some(item => isDeeper(item, depth - 1));
  for (const key in value) if (isDeeper((value as Record<string, unknown>)[key], depth - 1)) return true;
  return false;
}

function tooLarge({ bodyBytes }: Bounds): Unreadable {
  return { status: 413, error: { code: INVALID_REQUEST, message: `The body is larger than ${bodyBytes} bytes` } };
}

function tooDeep({ depth }: Bounds): Unreadable {
  return { status: 400, error: { code: INVALID_REQUEST, message: `The body nests deeper than ${depth} levels` } };
}
