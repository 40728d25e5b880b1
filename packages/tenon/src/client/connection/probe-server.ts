import { type JsonObject, TenonError } from '@tenon/base';
import type { JsonRpcResponse } from '../../jsonrpc/message.js';
import type { PeerCallOptions } from '../../jsonrpc/pending-requests.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import type { Connection } from './connection.js';
import { chooseAlternative, createRefusalError, mayRefuseVersion } from './version-refusal.js';

/**
 * Factors of the timeout for a process that has not written anything. It may still be starting, because a busy machine
 * needs seconds to start a program. A server that was stateless before gets more time.
 */
const SILENT_FACTOR = 3;
const KNOWN_FACTOR = 10;

export interface ProbeOptions extends Pick<PeerCallOptions, 'signal' | 'onLateResponse'> {
  /** Time for the response, in milliseconds. `undefined`: that of a normal call. */
  readonly timeout: number | undefined;
  /** True if the server was stateless before, so that it only needs time to start. */
  readonly isKnownStateless: boolean;
}

/**
 * Sends the first `server/discover`. The time of a process counts from its first byte, when the program has been loaded.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
export function probeServer(
  connection: Connection,
  { timeout, isKnownStateless, signal, onLateResponse }: ProbeOptions,
): Promise<JsonObject> {
  const { firstOutput } = connection.channel;
  if (timeout === undefined || firstOutput === undefined)
    return connection.call('server/discover', {}, { idleTimeout: timeout, signal });
  const idleTimeout = timeout * (isKnownStateless ? KNOWN_FACTOR : SILENT_FACTOR);
  const laterIdleTimeout = isKnownStateless ? undefined : { start: firstOutput, timeout };
  return connection.call('server/discover', {}, { idleTimeout, laterIdleTimeout, signal, onLateResponse });
}

/** Returns the stateless dialect of a server that answered the probe too late, if client and server have one. */
export function findLateDialect(response: JsonRpcResponse, wanted: readonly Dialect[]): Dialect | undefined {
  if (!('result' in response) || !Array.isArray(response.result.supportedVersions)) return undefined;
  const { supportedVersions } = response.result;
  const dialect = wanted.find(({ protocolVersion }) => supportedVersions.includes(protocolVersion));
  return dialect?.opening === 'per-request' ? dialect : undefined;
}

/** Stateless version in the response to a probe that has timed out. */
export interface LateDiscovery {
  readonly dialect: Dialect;
  readonly result: JsonObject;
}

/** Response to a probe that arrives after its time. */
export interface LateProbe {
  readonly response: Promise<LateDiscovery | undefined>;
  resolve(discovery: LateDiscovery | undefined): void;
}

export function createLateProbe(): LateProbe {
  let resolve: LateProbe['resolve'] = () => {};
  const response = new Promise<LateDiscovery | undefined>(settle => {
    resolve = settle;
  });
  return { response, resolve: discovery => resolve(discovery) };
}

/** Functions that open a connection by a handshake. */
export interface HandshakeSteps {
  /** Dialects that the client may use, the newest first. */
  readonly wanted: readonly Dialect[];
  /** False for a remembered version: the server is then probed again when it refuses that version. */
  readonly triesEarlier: boolean;
  /** Tells if a refusal ends the attempt, because another transport is tried before older versions. */
  isAboutTransport(refusal: TenonError): boolean;
  /** Sends `initialize` and completes the opening. */
  initialize(connection: Connection, dialect: Dialect): Promise<Connection>;
  /** Completes the opening of a stateless server that listed its versions in a refusal. */
  acceptPerRequest(connection: Connection, dialect: Dialect, refusal: TenonError): Promise<Connection>;
  /** Opens another transport to the same server. Rejects with `cause` if there can be only one. */
  reopen(cause: unknown): Promise<Connection>;
}

/**
 * Sends `initialize`. If the server refuses the version, tries the versions that it lists, or each older version once.
 * A process that exits because of an earlier message is started again, once. `isFresh` is true if nothing was sent before.
 */
export async function shakeHands(
  first: Connection,
  newest: Dialect,
  isFresh: boolean,
  { wanted, triesEarlier, isAboutTransport, initialize, acceptPerRequest, reopen }: HandshakeSteps,
): Promise<Connection> {
  let connection = first;
  const replaceConnection = async (cause: unknown): Promise<void> => {
    await connection.close();
    connection = await reopen(cause);
  };
  const tried = [newest];
  let dialect = newest;
  let hasEarlierMessages = !isFresh;
  let refusal: TenonError | undefined;
  try {
    for (;;) {
      connection.useDialect(dialect);
      try {
        return await (dialect.opening === 'per-request' && refusal
          ? acceptPerRequest(connection, dialect, refusal)
          : initialize(connection, dialect));
      } catch (error) {
        // The end of one HTTP request does not end its transport.
        const hasEnded =
          TenonError.is(error) && /^(stdio\/exited|stdio\/output-closed|connection\/closed)$/.test(error.code);
        if (hasEarlierMessages && hasEnded) {
          hasEarlierMessages = false;
          await replaceConnection(error);
          continue;
        }
        if (!mayRefuseVersion(error) || isAboutTransport(error)) throw error;
        refusal ??= error;
        const next = chooseAlternative(error, tried, wanted, triesEarlier);
        if (next === undefined) throw createRefusalError(connection.channel.peer, refusal, wanted);
        tried.push(next);
        dialect = next;
        // A server may have opened a session for the refused version, in which it accepts no second `initialize`.
        const isUsable = !connection.ended && connection.channel.sessionId === undefined;
        if (!isUsable) await replaceConnection(error);
        hasEarlierMessages = isUsable;
      }
    }
  } catch (error) {
    if (connection !== first) await connection.close();
    throw error;
  }
}
