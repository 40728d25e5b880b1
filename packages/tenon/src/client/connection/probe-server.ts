import type { JsonObject, JsonRpcResponse } from '../../jsonrpc/message.js';
import type { PeerCallOptions } from '../../jsonrpc/pending-requests.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import type { Connection } from './connection.js';

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

/** Returns the stateless version of a server that answered the probe too late, if client and server have one. */
export function findLateVersion(response: JsonRpcResponse, wanted: readonly Dialect[]): string | undefined {
  if (!('result' in response) || !Array.isArray(response.result.supportedVersions)) return undefined;
  const { supportedVersions } = response.result;
  const dialect = wanted.find(({ protocolVersion }) => supportedVersions.includes(protocolVersion));
  return dialect?.opening === 'per-request' ? dialect.protocolVersion : undefined;
}
