import {
  catchMaybe,
  createCausedError,
  describeUnknownName,
  INVALID_PARAMS,
  isForPeer,
  type MaybePromise,
  rpcError,
  TenonError,
} from '@tenon/base';
import { getSignInRequest } from 'tenon/host-internals';
import { adviseAssuming } from '../connections/undeclared-capabilities.js';
import type { UpstreamConnection } from '../connections/upstream-connection.js';
import { getUnavailableCause, type UnavailableServer } from '../connections/upstream-registry.js';
import { createUnansweredError } from '../proxy/unanswered-error.js';
import type { NamedKind } from './host-catalog.js';

/**
 * Translates the error of a failed list request. Errors that are meant for the caller stay unchanged. Others become
 * `no response`.
 */
export function translateListError<T>(
  kind: NamedKind,
  { server }: UpstreamConnection,
  read: () => MaybePromise<T>,
): MaybePromise<T> {
  return catchMaybe(read, thrown => {
    const error = TenonError.from(thrown);
    throw isForPeer(error) || getSignInRequest(error) ? error : createUnansweredError(error, server, `${kind}/list`);
  });
}

/** Possible reasons why a name is unknown. */
interface UnknownNameReasons {
  readonly unavailable?: readonly UnavailableServer[];
  /** Disabled server to which the name belongs. */
  readonly disabled?: string | undefined;
  /** Servers that may have it without declaring the capability. */
  readonly undeclared?: readonly string[];
  /** Names that the caller sees. */
  readonly names?: readonly string[];
}

/** Creates the error for a name that no server offers. */
export function createUnknownNameError(
  kind: NamedKind,
  outer: string,
  { unavailable = [], disabled, undeclared = [], names = [] }: UnknownNameReasons,
): Error {
  // Models leave out the name of the server, and hosts put one before each name.
  const suffix = `__${outer}`;
  const [same, ...others] = names.filter(each => each.endsWith(suffix) || outer.endsWith(`__${each}`));
  const proposed = others.length === 0 ? same : undefined;
  const what = describeUnknownName(kind === 'tools' ? 'tool' : 'prompt', outer, names, proposed);
  const stop = what.endsWith('?') ? '' : '.';
  if (disabled !== undefined) return rpcError(INVALID_PARAMS, `${what}${stop} The server "${disabled}" is disabled`);
  if (undeclared.length > 0) {
    return rpcError(INVALID_PARAMS, `${what}${stop} ${describeUndeclared(kind, undeclared)}`);
  }
  if (unavailable.length === 0) return rpcError(INVALID_PARAMS, what);
  const who = unavailable.map(({ server }) => server).join(', ');
  const summary = `${what}${stop} These servers are unavailable: ${who}`;
  return createCausedError(getUnavailableCause(unavailable), INVALID_PARAMS, summary, { unavailable });
}

/** Names the servers that may have an entry without declaring the capability, and tells how the host can use it. */
export function describeUndeclared(capability: 'tools' | 'prompts' | 'resources', servers: readonly string[]): string {
  const names = servers.map(server => `"${server}"`).join(', ');
  const subject = servers.length === 1 ? `The server ${names} does` : `The servers ${names} do`;
  return `${subject} not declare the capability ${capability}. ${adviseAssuming(capability, servers.length === 1 ? 'it' : 'one of them')}`;
}

/** Creates the error for a URI or a template that belongs to several servers. `list` is the method that lists it. */
export function createAmbiguousUriError(
  uri: string,
  owners: readonly string[],
  list: 'resources/list' | 'resources/templates/list',
): Error {
  const who = owners.join(', ');
  return rpcError(
    INVALID_PARAMS,
    `Several servers have ${uri.slice(0, 256)}: ${who}. Use the URI of ${list}, which names the server`,
    {
      uri,
    },
  );
}

/** Creates the error for a bare name of a tool that several servers have for their pages. */
export function createAmbiguousToolError(name: string, names: readonly string[]): Error {
  return rpcError(
    INVALID_PARAMS,
    `Several servers have a tool ${name.slice(0, 128)}. Call one of ${names.join(', ')}`,
    {
      names,
    },
  );
}
