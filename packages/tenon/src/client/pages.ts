import { TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { MethodName } from '../model/methods.js';
import type { Caller } from './caller.js';
import type { Link } from './link.js';
import type { CallOptions } from './options.js';

const MAX_PAGES = 10_000;
/** A cursor cannot be used in another session. */
export const CURSOR_GONE = 'call/cursor-gone';

/** Every entry of a list, over all its pages. */
export async function* pages<T>(
  caller: Caller,
  method: MethodName,
  key: string,
  options: CallOptions = {},
): AsyncGenerator<T> {
  let cursor: string | undefined;
  let link = await caller.lifeline.link();
  const seen = new Set<string>();
  const told = new Set<string>();
  let again = false;
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await pageAt(caller, link, method, cursor, options);
    link = caller.lifeline.last;
    if (result === undefined) {
      again = true;
      seen.clear();
      cursor = undefined;
      continue;
    }
    options.onPage?.(result);
    yield* fresh(result[key] as T[], told, again);
    cursor = nextCursor(caller, result);
    if (cursor === undefined) return;
    if (seen.has(cursor)) throw endless(caller, `${method} gives the same cursor again`);
    seen.add(cursor);
  }
  throw endless(caller, `${method} has more than ${MAX_PAGES} pages`);
}

/** One page; none when its cursor belongs to a session that is gone: the list then begins anew. */
async function pageAt(
  caller: Caller,
  link: Link,
  method: MethodName,
  cursor: string | undefined,
  options: CallOptions,
) {
  if (cursor === undefined) return caller.call(method, {}, options);
  try {
    const now = await caller.lifeline.link();
    return isOtherSession(now, link) ? undefined : await caller.call(method, { cursor }, options);
  } catch (error) {
    if (TenonError.is(error) && error.code === CURSOR_GONE) return undefined;
    throw error;
  }
}

function nextCursor({ lifeline }: Caller, { nextCursor }: JsonObject): string | undefined {
  if (typeof nextCursor !== 'string') return undefined;
  // An empty cursor is one like any other where requests state their revision; before, servers mean "no more" by it.
  return nextCursor === '' && lifeline.last.dialect.opening === 'handshake' ? undefined : nextCursor;
}

function endless({ lifeline }: Caller, summary: string): TenonError {
  return new TenonError('peer/endless-list', summary, { peer: lifeline.last.peer });
}

/** A cursor is good in the session that gave it, where there are sessions. */
function isOtherSession(now: Link, before: Link): boolean {
  return now !== before && before.dialect.opening === 'handshake';
}

/** The link on which a request goes again. A cursor does not go with it into another session. */
export function sameCursor(now: Link, before: Link, { cursor }: JsonObject): Link {
  if (cursor === undefined || !isOtherSession(now, before)) return now;
  throw new TenonError(CURSOR_GONE, 'the session that gave the cursor is gone', {
    peer: before.peer,
    next: 'read the list from its start',
  });
}

/** What was told before is not told again when the list had to begin anew. */
function* fresh<T>(entries: readonly T[], told: Set<string>, again: boolean): Generator<T> {
  for (const entry of entries) {
    const { uri, uriTemplate, name, taskId } = entry as { [id: string]: string | undefined };
    const key = String(uri ?? uriTemplate ?? name ?? taskId);
    if (again && told.has(key)) continue;
    told.add(key);
    yield entry;
  }
}
