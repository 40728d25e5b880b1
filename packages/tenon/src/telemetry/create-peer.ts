import type { Clock } from '@tenon/base';
import { Peer } from '../jsonrpc/peer.js';
import type { PeerHandler } from '../jsonrpc/peer-handler.js';
import type { Transport } from '../jsonrpc/transport.js';
import type { DescribeConnection, Telemetry } from './telemetry.js';

/** Creates a peer, which traces its requests where there is a telemetry. */
export const createPeer = (
  transport: Transport,
  handler: PeerHandler,
  clock: Clock,
  describe: DescribeConnection,
  telemetry?: Telemetry,
): Peer => telemetry?.createPeer(transport, handler, clock, describe) ?? new Peer(transport, handler, clock);
