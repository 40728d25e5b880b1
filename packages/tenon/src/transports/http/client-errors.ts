import { TenonError } from '../../jsonrpc/error.js';
import { type ErrorObject, type Failure, kindOf } from '../../jsonrpc/message.js';
import type { Signal } from '../../jsonrpc/recall.js';
import type { HttpReply } from './requester.js';

/** How much of the body of a refusal is read, in bytes. */
const MAX_REFUSAL = 65_536;
const MAX_SHOWN = 200;

export function closedError(peer: string): TenonError {
  return new TenonError('connection/closed', 'the connection was closed', { peer });
}

/** Why an aborted exchange ended. */
export function abortError(signal: Signal, peer: string): TenonError {
  if (TenonError.is(signal.reason)) return signal.reason;
  return new TenonError('call/aborted', 'the call was cancelled', { peer, cause: signal.reason });
}

/**
 * What a requester's rejection means. Takes over its words and no more: errors of HTTP clients are known to carry the
 * request along, and with it the credentials.
 */
export function requestError(error: unknown, peer: string, url: string): TenonError {
  const known = TenonError.is(error);
  const code = known ? error.code : 'http/interrupted';
  const { search } = new URL(url);
  const said = error instanceof Error ? error.message : 'the request failed';
  const summary = search === '' ? said : said.replaceAll(search, '?…');
  return new TenonError(code, summary, { peer, next: nextStep(code) });
}

function nextStep(code: string): string | undefined {
  if (code === 'http/unreachable') return 'nothing was sent; check the address and that the server runs';
  if (code === 'http/interrupted') return 'the server may have acted on it; look before sending it again';
  return undefined;
}

/** The answer to `id` will not come, and what the server did is not known. */
export function outcomeUnknown(peer: string, why: string, cause?: TenonError): TenonError {
  const next = 'the server may have acted on it; look before sending it again';
  return new TenonError('call/outcome-unknown', why, { peer, next, status: cause?.status, cause });
}

/** The server took the request and answered something else. */
export function noAnswer(peer: string, got: string): TenonError {
  return new TenonError('peer/no-answer', 'the request was not answered', { peer, expected: 'its response', got });
}

export function unreadableError(peer: string, got: string, cause?: unknown): TenonError {
  return new TenonError('peer/unreadable', 'what came can not be read', { peer, expected: 'JSON', got, cause });
}

/** A JSON-RPC failure in an error of ours. `cause` is the error object as it came. */
export function refusedError(peer: string, { error }: Failure, status: number): TenonError {
  const { code: rpc, message, data } = error;
  return new TenonError('http/refused', message, { peer, status, rpc, data, cause: error satisfies ErrorObject });
}

/** Reads a reply that is no success, and says why the message was not taken. Never rejects. */
export async function refusal(reply: HttpReply, peer: string, hadSession: boolean): Promise<TenonError> {
  const body = await reply.text(MAX_REFUSAL).catch(() => '');
  const value = parse(body);
  const failure = kindOf(value) === 'failure' ? (value as Failure) : undefined;
  if (reply.status === 404 && hadSession) return goneError(peer, failure);
  return failure ? refusedError(peer, failure, reply.status) : statusError(reply, peer, body);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function goneError(peer: string, failure?: Failure): TenonError {
  const facts = { peer, status: 404, rpc: failure?.error.code, data: failure?.error.data, cause: failure?.error };
  return new TenonError('session/gone', 'the server no longer knows the session', { ...facts, next: 'open a new one' });
}

function statusError(reply: HttpReply, peer: string, body: string): TenonError {
  const { status } = reply;
  const got = body === '' || isMarkup(body) ? `status ${status}` : `status ${status}: ${body.slice(0, MAX_SHOWN)}`;
  return new TenonError('http/status', 'the server refused', { peer, status, got, next: adviceOn(reply) });
}

function isMarkup(body: string): boolean {
  return body.trimStart().startsWith('<');
}

function adviceOn(reply: HttpReply): string | undefined {
  const after = reply.header('retry-after');
  if (reply.status === 401) return 'give a token: headers: { authorization: … }';
  if (reply.status === 403) return 'the token, or the origin, is not allowed to do this';
  if ((reply.status === 429 || reply.status === 503) && after) return `try again after ${after.slice(0, MAX_SHOWN)} s`;
  return undefined;
}
