import type { JsonObject } from '@tenon/base';
import type { CallerInfo } from '../../handler/context.js';
import { isId } from '../../jsonrpc/message.js';
import type { Peer } from '../../jsonrpc/peer.js';
import type { PeerHandler } from '../../jsonrpc/peer-handler.js';
import type { MessageContext, RequestHeaders, Transport } from '../../jsonrpc/transport.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import { createPeer } from '../../telemetry/create-peer.js';
import type { DescribeConnection, NetworkInfo } from '../../telemetry/telemetry.js';
import type { ServerRuntime } from '../server-runtime.js';

/** Creates the peer of a session, which is traced if the server has a telemetry. */
export function createSessionPeer(
  { clock, options, servedDialects }: ServerRuntime,
  transport: Transport,
  session: PeerHandler & { readonly dialect: Dialect | undefined; readonly caller: CallerInfo },
): Peer {
  const describe: DescribeConnection = ({ request, address = session.caller.address }: MessageContext = {}) => ({
    protocolVersion: session.dialect?.protocolVersion,
    servedDialects,
    sessionId: request?.header('mcp-session-id') ?? transport.sessionId,
    network: getClientNetwork(request, address, transport.network),
  });
  return createPeer(transport, session, clock, describe, options.telemetry);
}

/** Returns the network properties of a client. */
export function getClientNetwork(
  request: RequestHeaders | undefined,
  clientAddress: string | undefined,
  transport?: NetworkInfo['transport'],
): NetworkInfo {
  if (request === undefined) return { transport, clientAddress };
  // Behind a proxy, the port of the connection is not that of the client.
  const clientPort = request.remote === clientAddress ? request.remotePort : undefined;
  return { transport: 'tcp', protocol: 'http', protocolVersion: request.httpVersion, clientAddress, clientPort };
}

/** Handles a notification about a request in progress. Returns false for other notifications. */
export function handlePeerNotification(
  peer: Peer,
  method: string,
  { requestId, reason, progressToken, ...rest }: JsonObject,
): boolean {
  if (method === 'notifications/cancelled') {
    if (isId(requestId)) peer.cancel(requestId, typeof reason === 'string' ? reason : undefined);
    return true;
  }
  if (method !== 'notifications/progress') return false;
  if (isId(progressToken)) peer.resetIdleTimeout(progressToken, { progressToken, ...rest });
  return true;
}
