import { checkFunction, checkObject, requireArgument, TenonError } from '@tenon/base';
import type { Transport } from '../../jsonrpc/transport.js';
import type { ServerCapabilities } from '../../protocol/capabilities.js';
import type { Implementation } from '../../protocol/content.js';
import type { RequestHandler } from '../../protocol/request-handler.js';
import type { DescribeConnection, NetworkInfo } from '../../telemetry/telemetry.js';
import { createTransportPair, type MemoryOptions } from '../../transports/memory.js';

/** A server with the functions to connect to it repeatedly. */
export interface ServerEndpoint {
  readonly kind: 'http' | 'http-sse' | 'stdio' | 'memory' | 'custom';
  /**
   * Key of the endpoint in the version cache. Without a key, no version is cached, because the next server may be
   * another one.
   */
  readonly key?: string;
  /** Creates a new transport. */
  open(): Transport | Promise<Transport>;
  /** Returns the endpoint for HTTP+SSE of 2024-11-05. Absent if the server cannot have one. */
  readonly fallback?: () => ServerEndpoint;
  /** IDs of extensions that the transport provides, such as sign-in methods. */
  readonly extensions?: readonly string[];
  /** Sets the function that is called when requests start and stop waiting for a sign-in. */
  onSigningIn?(listener: (signingIn: boolean) => void): void;
}

/** Information about the server. */
export interface ServerDetails {
  readonly info: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}

const checkTransport = checkObject({ open: checkFunction, send: checkFunction });

/**
 * Opens a transport of an endpoint. A function of the user may return anything.
 * @throws TenonError `connect/target` for a value that is not a transport
 */
export async function openEndpoint(endpoint: ServerEndpoint): Promise<Transport> {
  const transport = await endpoint.open();
  requireArgument('the transport of connect', transport, checkTransport, 'connect/target');
  return transport;
}

/** Creates the function that describes a connection for telemetry. */
export function createDescription(
  { kind, key }: ServerEndpoint,
  channel: Transport,
  getVersion: () => string | undefined,
): DescribeConnection {
  let network: NetworkInfo = {};
  if (kind === 'stdio') network = { transport: 'pipe' };
  else if ((kind === 'http' || kind === 'http-sse') && key !== undefined) {
    const { hostname, port, protocol } = new URL(key);
    network = {
      transport: 'tcp',
      protocol: 'http',
      protocolVersion: channel.httpVersion,
      serverAddress: hostname,
      serverPort: Number(port) || (protocol === 'https:' ? 443 : 80),
    };
  }
  return () => ({ protocolVersion: getVersion(), sessionId: channel.sessionId, network });
}

/** Members of an HTTP transport that other transports do not have. */
export interface ListeningTransport extends Transport {
  listen(onMissed?: () => void): void;
}

/** Creates an endpoint for a server in this process. */
export function createInProcessEndpoint(server: RequestHandler, options?: MemoryOptions): ServerEndpoint {
  return {
    kind: 'memory',
    async open() {
      const pair = createTransportPair(undefined, { copyMessages: options?.copyMessages, caller: options?.caller });
      await server.connect(pair.server, { auth: options?.caller });
      return pair.client;
    },
  };
}

/**
 * Creates an endpoint for a custom transport. A transport can be opened once. A function is called for each new
 * connection.
 */
export function createTransportEndpoint(channel: Transport | (() => Transport | Promise<Transport>)): ServerEndpoint {
  let isUsed = false;
  return {
    kind: 'custom',
    open() {
      if (typeof channel === 'function') return channel();
      if (isUsed)
        throw new TenonError('connection/used', 'the transport is closed', {
          peer: channel.peer,
          hint: 'pass a function that creates transports to `connect`, because each can be opened once',
        });
      isUsed = true;
      return channel;
    },
  };
}
