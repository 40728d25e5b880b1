import { type AuthInfo, TenonError } from '@tenon/base';
import type { CallerInfo } from '../../handler/context.js';
import type { ClientCapabilities } from '../../protocol/capabilities.js';
import type { Implementation, Root } from '../../protocol/content.js';
import type { ListRootsResult } from '../../protocol/input-requests.js';
import { toResult } from '../../protocol/methods.js';
import type { ClientSession } from '../request-context.js';

/** A client's notification that its roots have changed. */
export interface RootsChange {
  /** Name and capabilities that the client declares. Untrusted. */
  readonly client: { readonly info: Implementation | undefined; readonly capabilities: ClientCapabilities };
  /** User and OAuth client, verified by the authorization of the transport. */
  readonly auth: AuthInfo | undefined;
  /**
   * Requests the roots of the client. Entries that are not `file:` URIs are dropped and reported to `onError`. Rejects
   * with a `TenonError` when the client does not respond, or its session ends.
   */
  roots(): Promise<readonly Root[]>;
}

/** The part of a server that listens to changes of roots. */
interface RootsListener {
  readonly options: { readonly onRootsChanged?: ((change: RootsChange) => void | Promise<void>) | undefined };
}

/** Calls the server's `onRootsChanged`, if it exists and the client declared roots. */
export function handleRootsChange(
  { options }: RootsListener,
  { client, capabilities, auth }: CallerInfo,
  session: ClientSession,
  report: (error: unknown, method: string) => void,
): void {
  const { onRootsChanged } = options;
  if (onRootsChanged === undefined || capabilities.roots === undefined) return;
  const change: RootsChange = {
    client: { info: client, capabilities },
    auth,
    roots: async () =>
      selectFileRoots(toResult('roots/list', await session.requestInput('roots/list', {})), error =>
        report(error, 'roots/list'),
      ),
  };
  // In an async function, an exception before the first `await` of the handler rejects like a later one.
  const callHandler = async () => {
    await onRootsChanged(change);
  };
  void callHandler().catch(error => report(error, 'notifications/roots/list_changed'));
}

/** Returns the roots that are `file:` URIs, because handlers use roots as folders. Reports the others. */
export function selectFileRoots(
  { roots }: ListRootsResult,
  report: (error: TenonError) => void,
): ListRootsResult['roots'] {
  const others = roots.filter(root => !isFileRoot(root));
  if (others.length > 0) {
    // Only the schemes are shown, because the rest of a URI may contain credentials.
    const schemes = others.map(({ uri }) => /^[a-z][a-z0-9+.-]{0,31}:/i.exec(uri)?.[0] ?? 'a URI without a scheme');
    report(
      new TenonError('client/invalid-root', 'the client sent roots without a file: URI, which were ignored', {
        method: 'roots/list',
        expected: 'file: URIs',
        received: [...new Set(schemes)].join(', '),
      }),
    );
  }
  return roots.filter(isFileRoot);
}

const isFileRoot = ({ uri }: Root): boolean => /^file:\/\//i.test(uri);
