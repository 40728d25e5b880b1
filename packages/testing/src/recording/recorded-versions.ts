import { isObject, type JsonObject } from '@tenon/base';
import { type Dialect, dialects, PROTOCOL_VERSION, readMeta } from 'tenon/testing-internals';
import type { RecordedExchange, RecordedSession } from './recorded-sessions.js';

/** Returns the protocol version of an exchange, if its messages name it. */
function readVersion({ request, response }: RecordedExchange): unknown {
  if (response === undefined || !('result' in response)) return undefined;
  if (request.method === 'initialize') return response.result.protocolVersion;
  return readMeta(request.params ?? {})[PROTOCOL_VERSION];
}

/** Returns the versions with which the recorded server responded. Returns all versions if the recording names none. */
export function listRecordedDialects(sessions: readonly RecordedSession[]): readonly Dialect[] {
  const versions = new Set(sessions.flatMap(({ exchanges }) => exchanges.map(readVersion)));
  const recorded = dialects.filter(({ protocolVersion }) => versions.has(protocolVersion));
  return recorded.length > 0 ? recorded : dialects;
}

/** Returns the dialect of one exchange of a session. */
export function getExchangeDialect(exchange: RecordedExchange, session: RecordedSession): Dialect | undefined {
  const own = readMeta(exchange.request.params ?? {})[PROTOCOL_VERSION];
  const opening = session.exchanges.findLast(
    ({ request, line }) => request.method === 'initialize' && line <= exchange.line,
  );
  const version = own ?? (opening && readVersion(opening));
  return dialects.find(({ protocolVersion }) => protocolVersion === version);
}

/** Returns the negotiated version in a response to `initialize`. */
export function readNegotiatedDialect(result: unknown): Dialect | undefined {
  const version = isObject(result) ? (result satisfies JsonObject).protocolVersion : undefined;
  return dialects.find(({ protocolVersion }) => protocolVersion === version);
}
