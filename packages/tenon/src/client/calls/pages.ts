import { CursorTracker, type JsonObject, METHOD_NOT_FOUND, TenonError } from '@tenon/base';
import { tolerate } from '../../jsonrpc/tolerance.js';
import type { MethodName } from '../../protocol/method-types.js';
import { isListMissing } from '../../protocol/tolerant-reading.js';
import type { InternalCallOptions } from '../call-options.js';
import type { Connection } from '../connection/connection.js';
import type { CallContext } from './call-context.js';

/** Error code for a cursor that the current session does not accept. */
export const CURSOR_EXPIRED = 'call/cursor-gone';

/** Iterates over the entries of all pages of a list. */
export async function* listAll<T>(
  pipeline: CallContext,
  method: MethodName,
  key: string,
  options: InternalCallOptions = {},
): AsyncGenerator<T> {
  let cursor: string | undefined;
  let connection = await pipeline.connections.getConnection();
  const cursors = new CursorTracker(method);
  const yielded = new Set<string>();
  let isRestarted = false;
  while (true) {
    const result = await getPage(pipeline, connection, method, key, cursor, options);
    connection = pipeline.connections.lastConnection;
    if (result === undefined) {
      isRestarted = true;
      cursors.restart();
      cursor = undefined;
      continue;
    }
    options.onPage?.(result);
    if (isListMissing(result)) options.onListMissing?.();
    yield* skipYielded(result[key] as T[], yielded, isRestarted);
    // On stateless versions an empty cursor is valid. On earlier versions servers use it on the last page.
    if (result.nextCursor === '' && connection.dialect.opening === 'handshake') return;
    cursor = cursors.next(result, connection.peer);
    if (cursor === undefined) return;
  }
}

/**
 * Requests one page. Resolves with `undefined` when its cursor belongs to a lost session. The list then starts again.
 */
async function getPage(
  pipeline: CallContext,
  connection: Connection,
  method: MethodName,
  key: string,
  cursor: string | undefined,
  options: InternalCallOptions,
) {
  if (cursor === undefined) return getFirstPage(pipeline, method, key, options);
  try {
    const current = await pipeline.connections.getConnection();
    return isOtherSession(current, connection) ? undefined : await pipeline.call(method, { cursor }, options);
  } catch (error) {
    if (TenonError.is(error) && error.code === CURSOR_EXPIRED) return undefined;
    throw error;
  }
}

/** Requests the first page. A list without its method counts as empty, because some servers have not all of a capability. */
async function getFirstPage(
  pipeline: CallContext,
  method: MethodName,
  key: string,
  options: InternalCallOptions,
): Promise<JsonObject> {
  try {
    return await pipeline.call(method, {}, options);
  } catch (error) {
    if (!(TenonError.is(error) && error.rpcCode === METHOD_NOT_FOUND)) throw error;
    const summary = 'the server does not have the method, which counts as an empty list';
    if (!tolerate(pipeline.connections.lastConnection, 'missing-method', method, summary)) throw error;
    options.onListMissing?.();
    return { [key]: [] };
  }
}

/**
 * Tells if a cursor of one connection is invalid on the other. A cursor belongs to a session, if the version has
 * sessions.
 */
function isOtherSession(current: Connection, previous: Connection): boolean {
  return current !== previous && previous.dialect.opening === 'handshake';
}

/** Throws if a request with a cursor would be repeated in another session. */
export function checkCursor(current: Connection, previous: Connection, { cursor }: JsonObject): Connection {
  if (cursor === undefined || !isOtherSession(current, previous)) return current;
  throw new TenonError(CURSOR_EXPIRED, 'the cursor is from an expired session', {
    peer: previous.peer,
    hint: 'read the list from the start',
  });
}

/** Skips entries that were yielded before the list started again. */
function* skipYielded<T>(entries: readonly T[], yielded: Set<string>, isRestarted: boolean): Generator<T> {
  for (const entry of entries) {
    const { uri, uriTemplate, name, taskId } = entry as { [id: string]: string | undefined };
    const key = String(uri ?? uriTemplate ?? name ?? taskId);
    if (isRestarted && yielded.has(key)) continue;
    yielded.add(key);
    yield entry;
  }
}
