import { isObject } from '../../jsonrpc/message.js';
import type { Peer } from '../../jsonrpc/peer.js';
import type { PeerHandler } from '../../jsonrpc/peer-handler.js';
import type { MessageContext, RequestHeaders, Transport } from '../../jsonrpc/transport.js';
import { PROTOCOL_VERSION } from '../../protocol/meta.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import { createPeer } from '../../telemetry/create-peer.js';
import type { DescribeConnection, NetworkInfo } from '../../telemetry/telemetry.js';
import type { CallerInfo } from '../caller-info.js';
import type { ServerRuntime } from '../server-runtime.js';

export type { Peer };

type DescribedMessage = Parameters<DescribeConnection>[1];

/** Creates the peer of a session, which is traced if the server has a telemetry. */
export function createSessionPeer(
  { clock, options, servedDialects }: ServerRuntime,
  transport: Transport,
  session: PeerHandler & { readonly dialect: Dialect | undefined; readonly caller: CallerInfo },
): Peer {
  const findDialect = (message: DescribedMessage) => findStatelessDialect(servedDialects, message) ?? session.dialect;
  const describe: DescribeConnection = (
    { request, address = session.caller.address }: MessageContext = {},
    message,
  ) => ({
    protocolVersion: findDialect(message)?.protocolVersion,
    sessionId: request?.header('mcp-session-id') ?? transport.sessionId,
    network: getClientNetwork(request, address, transport.network),
  });
  return createPeer(transport, session, clock, describe, options.telemetry);
}

/** Returns the dialect of a message that names its protocol version. An unknown version is none. */
function findStatelessDialect(served: readonly Dialect[], message: DescribedMessage): Dialect | undefined {
  const meta = message?.params?._meta;
  const version = isObject(meta) ? meta[PROTOCOL_VERSION] : undefined;
  return version === undefined ? undefined : served.find(({ protocolVersion }) => protocolVersion === version);
}

/** Returns the network properties of a client. */
export function getClientNetwork(
  request: RequestHeaders | undefined,
  clientAddress: string | undefined,
  transport?: NetworkInfo['transport'],
): NetworkInfo {
  if (request === undefined) return { transport, clientAddress };
  const { httpVersion, remote, remotePort } = request;
  // Behind a proxy, the port of the connection is not that of the client.
  const clientPort = remote === clientAddress ? remotePort : undefined;
  return { transport: 'tcp', protocol: 'http', protocolVersion: httpVersion, clientAddress, clientPort };
}
