import { checkFunction, checkObject, requireArgument } from '@tenon/base';
import { type Client, type ClientOptions, createTransportPair, type RequestHandler } from 'tenon';
import { connectTo, dialects, type ServerTypes } from 'tenon/testing-internals';

/** All protocol versions, newest first, for tests that run on each of them. */
export const protocolVersions: readonly string[] = dialects.map(({ protocolVersion }) => protocolVersion);

/** Options of a client and a server in one process. */
export type PairOptions = ClientOptions;

/**
 * Connects a client to a server in this process, on the protocol version of the options or the newest. Uses no timers
 * except those of `options.clock`.
 */
export function connectPair<S extends ServerTypes = ServerTypes>(
  server: S & RequestHandler,
  options: PairOptions = {},
): Promise<Client<S>> {
  requireArgument('`server` of connectPair', server, checkObject({ connect: checkFunction }));
  requireArgument('the object with the options of connectPair', options, checkObject());
  const { onMessage, ...rest } = options;
  const open = async () => {
    const pair = createTransportPair(onMessage, { copyMessages: rest.copyMessages, caller: rest.caller });
    await server.connect(pair.server, { auth: rest.caller });
    return pair.client;
  };
  return connectTo<S>({ kind: 'memory', open }, rest);
}
