import { getCallerKey } from '../../jsonrpc/caller-key.js';
import type { AuthInfo } from '../../jsonrpc/channel.js';
import { INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR } from '../../jsonrpc/codes.js';
import type { ErrorObject } from '../../jsonrpc/message.js';
import { parseJson } from '../../jsonrpc/parse-json.js';
import type { Body, Exchange } from './exchange.js';
import type { Bounds } from './options.js';
import type { Road } from './road.js';

/** Why a body can not be read. */
export interface Unreadable {
  readonly status: number;
  readonly error: ErrorObject;
}

const BUSY: ErrorObject = { code: INTERNAL_ERROR, message: 'Too many large bodies are being read' };
const NOT_JSON: ErrorObject = { code: PARSE_ERROR, message: 'Parse error: the body is not JSON' };

/** Bodies of up to so many bytes are read without being counted. */
const SMALL_BODY = 65_536;

/** Reads the JSON value of a body within its bounds, and calls one of the two. */
export function readJson(
  road: Road,
  exchange: Exchange,
  auth: AuthInfo | undefined,
  read: (value: unknown) => void,
  unreadable: (why: Unreadable) => void,
): void {
  const { bounds } = road;
  const release = reserveBody(road, exchange, auth);
  if (release === undefined) return unreadable({ status: 503, error: BUSY });
  const received = (body: Body): void => {
    release();
    const parsed = parseBody(body, bounds);
    if ('error' in parsed) unreadable(parsed);
    else read(parsed.value);
  };
  try {
    exchange.body(bounds.bodyBytes, received);
  } catch (error) {
    release();
    throw error;
  }
}

function parseBody(body: Body, bounds: Bounds): Unreadable | { readonly value: unknown } {
  if ('status' in body) return tooLarge(bounds);
  let value: unknown;
  if ('value' in body) value = body.value;
  else {
    try {
      value = parseJson(body.text);
    } catch {
      return { status: 400, error: NOT_JSON };
    }
    // Each level takes two characters: most bodies need no walk.
    if (body.text.length <= bounds.depth * 2) return { value };
  }
  return isDeeper(value, bounds.depth) ? tooDeep(bounds) : { value };
}

function releaseNothing(): void {}

/** Counts the bytes that a large body will take. Returns the function that releases them; nothing when there is no room. */
function reserveBody(
  { bounds, reading, getAddress }: Road,
  exchange: Exchange,
  auth: AuthInfo | undefined,
): (() => void) | undefined {
  const length = Number(exchange.header('content-length') ?? bounds.bodyBytes);
  // A body that is too large is refused before it is read.
  if (!(length > SMALL_BODY && length <= bounds.bodyBytes)) return releaseNothing;
  const caller = getCallerKey(auth, getAddress(exchange));
  if (!reading.take(caller, length)) return undefined;
  let held = true;
  const release = (): void => {
    if (held) reading.release(caller, length);
    held = false;
  };
  exchange.whenGone(release);
  return release;
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
