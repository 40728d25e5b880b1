import { TenonError } from '../../jsonrpc/error.js';
import type { AuthInfo } from '../../jsonrpc/transport.js';
import type { ClientCapabilities } from '../../protocol/capabilities.js';
import type { Implementation, Root } from '../../protocol/content.js';
import type { ListRootsResult } from '../../protocol/input-requests.js';
import { toResult } from '../../protocol/methods.js';
import type { CallerInfo } from '../caller-info.js';
import type { ClientSession } from '../request-context.js';
import type { ServerRuntime } from '../server-runtime.js';

/** A client's announcement that its roots have changed. */
export interface RootsChange {
  /** The client's description of itself and its capabilities. Untrusted. */
  readonly client: { readonly info: Implementation | undefined; readonly capabilities: ClientCapabilities };
  /** The user and OAuth client that the transport's authorization found. */
  readonly auth: AuthInfo | undefined;
  /**
   * Requests the roots of the client. Entries that are not `file:` URIs are dropped and reported to `onError`. Rejects
   * with a `TenonError` when the client does not answer, or its session ends.
   */
  roots(): Promise<readonly Root[]>;
}

/** Calls the server's `onRootsChanged`, where there is one and the client has roots. */
export function handleRootsChange(
  runtime: ServerRuntime,
  { client, capabilities, auth }: CallerInfo,
  session: ClientSession,
): void {
  const { onRootsChanged } = runtime.options;
  if (onRootsChanged === undefined || capabilities.roots === undefined) return;
  const change: RootsChange = {
    client: { info: client, capabilities },
    auth,
    roots: async () =>
      selectFileRoots(toResult('roots/list', await session.requestInput('roots/list', {})), runtime.onError),
  };
  void callSafely(onRootsChanged, change).catch(error =>
    runtime.onError(TenonError.from(error, 'handler/threw', { method: 'notifications/roots/list_changed' })),
  );
}

/** A function that throws before its first `await` rejects like one that throws later. */
async function callSafely<T>(handler: (value: T) => void | Promise<void>, value: T): Promise<void> {
  await handler(value);
}

/** Returns the roots that are `file:` URIs, and reports the others: a handler would take them for folders. */
export function selectFileRoots(
  { roots }: ListRootsResult,
  report: (error: TenonError) => void,
): ListRootsResult['roots'] {
  if (roots.every(isFileRoot)) return roots;
  report(
    new TenonError('client/invalid-root', 'the client sent roots without a file: URI, which were ignored', {
      method: 'roots/list',
      expected: 'file: URIs',
      received: [...new Set(roots.filter(root => !isFileRoot(root)).map(root => readScheme(root)))].join(', '),
    }),
  );
  return roots.filter(isFileRoot);
}

const isFileRoot = ({ uri }: Root): boolean => /^file:\/\//i.test(uri);

/** Names the scheme alone: the rest of the URI may hold credentials. */
const readScheme = ({ uri }: Root): string => /^[a-z][a-z0-9+.-]{0,31}:/i.exec(uri)?.[0] ?? 'a URI without a scheme';
