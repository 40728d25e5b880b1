import { type ProtocolVersion, protocolVersions } from '../support/official-schema.js';

/** How both sides of the gateway are reached. In memory there is no gateway between. */
export type PairTransport = 'memory' | 'stdio' | 'http';

/** A client of one protocol version and a server of another. */
export interface Pair {
  readonly client: ProtocolVersion;
  readonly server: ProtocolVersion;
  readonly mode: PairTransport;
  /** Nothing stands between. */
  readonly direct?: true;
}

export const newest: ProtocolVersion = '2026-07-28';

/** What both know is what the one knows that knows less. */
const getOlder = ({ client, server }: Pair): ProtocolVersion => (client < server ? client : server);
export const bothSupport = (pair: Pair, version: ProtocolVersion): boolean => getOlder(pair) >= version;

/** True if client and server speak the same protocol version, so that nothing is translated. */
export const isSameVersion = ({ client, server }: Pair): boolean => client === server;

export const listPairs = (mode: PairTransport): readonly Pair[] =>
  protocolVersions.flatMap(client => protocolVersions.map(server => ({ client, server, mode })));

/** In the cover, each client and each server occurs once, on one of the transports, and the newest client on both. */
export const isInCover = ({ client, server, mode }: Pair): boolean => {
  const place = protocolVersions.indexOf(client);
  const isOnTransport = client === newest || place % 2 === (mode === 'http' ? 0 : 1);
  return isOnTransport && (place + protocolVersions.indexOf(server)) % protocolVersions.length === 0;
};
