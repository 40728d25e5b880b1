import type { AuthInfo } from '../jsonrpc/channel.js';
import { TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { ListRootsResult } from '../model/asking.js';
import type { ClientCapabilities } from '../model/capabilities.js';
import type { Implementation, Root } from '../model/content.js';
import type { Blueprint } from './blueprint.js';
import type { Caller } from './caller.js';
import type { Session } from './turn.js';

/** A client's announcement that its roots have changed. */
export interface RootsChange {
  /** The client's description of itself and its capabilities. Untrusted. */
  readonly client: { readonly info: Implementation | undefined; readonly capabilities: ClientCapabilities };
  /** The user and OAuth client that the transport's authorization found. */
  readonly auth: AuthInfo | undefined;
  /**
   * Asks the client for its roots. Entries that are no `file:` URI are left out and reported to `onProblem`.
   * Rejects with a `TenonError` when the client does not answer, or its session ends.
   */
  roots(): Promise<readonly Root[]>;
}

/** Calls the server's `onRootsChanged`, where there is one and the client has roots. */
export function handleRootsChange(
  blueprint: Blueprint,
  { client, capabilities, auth }: Caller,
  session: Session,
): void {
  const { onRootsChanged } = blueprint.options;
  if (onRootsChanged === undefined || capabilities.roots === undefined) return;
  const change: RootsChange = {
    client: { info: client, capabilities },
    auth,
    roots: async () => selectFileRoots(await session.ask('roots/list', {}), blueprint.problem),
  };
  void callSafely(onRootsChanged, change).catch(error =>
    blueprint.problem(TenonError.from(error, 'handler/threw', { method: 'notifications/roots/list_changed' })),
  );
}

/** A function that throws before its first `await` rejects like one that throws later. */
async function callSafely<T>(handler: (value: T) => void | Promise<void>, value: T): Promise<void> {
  await handler(value);
}

/** Returns the roots that are `file:` URIs, and reports the others: a handler would take them for folders. */
export function selectFileRoots(answer: JsonObject, report: (error: TenonError) => void): ListRootsResult['roots'] {
  const { roots } = answer as unknown as ListRootsResult;
  if (roots.every(isFileRoot)) return roots;
  report(
    new TenonError(
      'client/invalid-root',
      'roots/list: the client sent roots that are no file URIs; they are left out',
      {
        method: 'roots/list',
        expected: 'URIs that begin with file://',
        got: [...new Set(roots.filter(root => !isFileRoot(root)).map(root => schemeOf(root)))].join(', '),
      },
    ),
  );
  return roots.filter(isFileRoot);
}

const isFileRoot = ({ uri }: Root): boolean => /^file:\/\//i.test(uri);

/** Names the scheme alone: the rest of the URI may hold credentials. */
const schemeOf = ({ uri }: Root): string => /^[a-z][a-z0-9+.-]{0,31}:/i.exec(uri)?.[0] ?? 'a URI without a scheme';
