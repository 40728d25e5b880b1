import {
  type AuthInfo,
  type ErrorObject,
  getCallerKey,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  PARSE_ERROR,
} from '@tenon/base';
import { parseJson } from '../../../jsonrpc/message.js';
import type { HttpServerContext } from './context.js';
import type { Exchange, RequestBody } from './exchange.js';
import type { Limits } from './options.js';

/** The reason why a body cannot be read. */
export interface UnreadableBody {
  readonly status: number;
  readonly error: ErrorObject;
}

const BUSY: ErrorObject = { code: INTERNAL_ERROR, message: 'Too many large bodies are being read. Retry later' };
const NOT_JSON: ErrorObject = { code: PARSE_ERROR, message: 'Parse error: the body is not JSON' };
const COMPRESSED: UnreadableBody = {
  status: 415,
  error: { code: INVALID_REQUEST, message: 'The body has a Content-Encoding. Send it without one' },
};

/** Maximum size of a body that is read without being counted, in bytes. */
const SMALL_BODY = 65_536;

/** Reads the JSON value of a body within the limits. Calls one of the two callbacks. */
export function readJson(
  context: HttpServerContext,
  exchange: Exchange,
  auth: AuthInfo | undefined,
  onValue: (value: unknown) => void,
  onUnreadable: (reason: UnreadableBody) => void,
): void {
  const { limits } = context;
  const release = reserveBody(context, exchange, auth);
  if (release === undefined) return onUnreadable({ status: 503, error: BUSY });
  const handleBody = (body: RequestBody): void => {
    release();
    if ('error' in body) {
      context.report(body.error);
      return onUnreadable({
        status: 500,
        error: { code: INTERNAL_ERROR, message: `Internal error: ${body.error.summary}` },
      });
    }
    const parsed = parseBody(body, limits, exchange);
    if ('error' in parsed) onUnreadable(parsed);
    else onValue(parsed.value);
  };
  try {
    exchange.body(limits.maxBodyBytes, handleBody);
  } catch (error) {
    release();
    throw error;
  }
}

function parseBody(
  body: Exclude<RequestBody, { readonly error: unknown }>,
  limits: Limits,
  exchange: Exchange,
): UnreadableBody | { readonly value: unknown } {
  if ('status' in body) {
    const message = `The body is larger than ${limits.maxBodyBytes} bytes`;
    return { status: 413, error: { code: INVALID_REQUEST, message } };
  }
  let value: unknown;
  if ('value' in body) value = body.value;
  else {
    try {
      value = parseJson(body.text);
    } catch {
      return exchange.header('content-encoding') === undefined ? { status: 400, error: NOT_JSON } : COMPRESSED;
    }
    // Each level needs two characters, so most bodies need no check.
    if (body.text.length <= limits.maxJsonDepth * 2) return { value };
  }
  if (!isDeeper(value, limits.maxJsonDepth)) return { value };
  const message = `The body nests deeper than ${limits.maxJsonDepth} levels`;
  return { status: 400, error: { code: INVALID_REQUEST, message } };
}

function releaseNothing(): void {}

/**
 * Reserves the bytes of a large body. Returns a function that releases them, or `undefined` if the limit is reached.
 */
function reserveBody(
  { limits, readingBytes, getAddress }: HttpServerContext,
  exchange: Exchange,
  auth: AuthInfo | undefined,
): (() => void) | undefined {
  const length = Number(exchange.header('content-length') ?? limits.maxBodyBytes);
  // A body that is too large is refused before it is read.
  if (!(length > SMALL_BODY && length <= limits.maxBodyBytes)) return releaseNothing;
  const caller = getCallerKey(auth, getAddress(exchange));
  if (!readingBytes.take(caller, length)) return undefined;
  let isHeld = true;
  const release = (): void => {
    if (isHeld) readingBytes.release(caller, length);
    isHeld = false;
  };
  exchange.onClientClosed(release);
  return release;
}

/** Tells if a value has more levels than `depth`. It never visits deeper levels. */
export function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  // Most members are no objects: without a call for each of them, a body of many takes less than half the time.
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && isDeeper(item, depth - 1)) return true;
    return false;
  }
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key];
    if (typeof member === 'object' && isDeeper(member, depth - 1)) return true;
  }
  return false;
}
