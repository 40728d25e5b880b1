import { type AuthInfo, hashSha256, identifyCaller, redactKnownValues, TenonError, toCanonicalJson } from '@tenon/base';
import type { RequestHeaders } from 'tenon';
import type { ClientSession, RequesterInfo } from 'tenon/proxy';
import { type CallerValues, splitCallerName } from '../config/caller-template.js';

declare const crypto: { randomUUID(): string };

const sessionValues = new WeakMap<ClientSession, string>();
/** Header values of the last request of a session, for its tasks and subscriptions, which have no request. */
const sessionHeaders = new WeakMap<ClientSession, Map<string, string | undefined>>();

/** Reads the values of a caller with these names. A value that the caller does not have is `undefined`. */
export const readCallerValues = (requester: RequesterInfo, names: readonly string[]): CallerValues =>
  Object.fromEntries(names.map(name => [name, readValue(requester, name)]));

/** Hashes values, because keys with them may be stored or logged. */
export const hashCallerValues = (values: CallerValues): string =>
  hashSha256(toCanonicalJson(Object.entries(values).map(([name, value]) => [name, value ?? null])));

/** Returns only the values with these names. */
export function selectCallerValues(values: CallerValues, names: readonly string[]): CallerValues {
  return Object.fromEntries(names.map(name => [name, values[name]]));
}

function readValue(requester: RequesterInfo, name: string): string | undefined {
  const { auth } = requester.caller;
  const session = requester.session ?? requester.originSession;
  const { kind, rest } = splitCallerName(name);
  if (kind === 'header') return readHeader(requester.request, session, rest.toLowerCase());
  if (kind === 'claim') return readClaim(auth, rest);
  if (name === 'user') return auth?.principal;
  if (name === 'client') return identifyCaller(auth).clientId;
  return session && getSessionValue(session);
}

function readHeader(
  request: RequestHeaders | undefined,
  session: ClientSession | undefined,
  name: string,
): string | undefined {
  const known = session && (sessionHeaders.get(session) ?? new Map<string, string | undefined>());
  if (request === undefined) return known?.get(name);
  const value = request.header(name);
  if (session && known) sessionHeaders.set(session, known.set(name, value));
  return value;
}

function readClaim(auth: AuthInfo | undefined, name: string): string | undefined {
  const { claims = {} } = auth ?? {};
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

/**
 * Returns a value that identifies a session at all processes that share it. The id of the session is not used, because
 * it allows to send requests of the session.
 */
function getSessionValue(session: ClientSession): string {
  const known = sessionValues.get(session);
  if (known !== undefined) return known;
  const created =
    session.sharedId === undefined ? crypto.randomUUID() : hashSha256(`session of a caller ${session.sharedId}`);
  sessionValues.set(session, created);
  return created;
}

/** Removes values of a caller from an error that is logged. They may be personal data, and a URL contains them. */
export function hideCallerValues(error: TenonError, values: CallerValues): TenonError {
  const texts = Object.values(values).flatMap(value => value ?? []);
  const hide = (text: string | undefined) => text && redactKnownValues(text, texts);
  if (hide(error.message) === error.message) return error;
  const { code, summary, peer, method, expected, received, hint, rpcCode, status } = error;
  return new TenonError(code, hide(summary) ?? '', {
    peer: hide(peer),
    method,
    expected: hide(expected),
    received: hide(received),
    hint: hide(hint),
    rpcCode,
    status,
  });
}
