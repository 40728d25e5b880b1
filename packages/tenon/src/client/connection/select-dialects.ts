import { TenonError } from '@tenon/base';
import type { Dialect } from '../../protocol/versions/dialect.js';
import { dialects, getDialect } from '../../protocol/versions/index.js';
import type { ClientOptions } from '../options.js';

/** Returns the dialects that a client may use, the newest first. Throws `connect/protocol-version` for an unknown one. */
export function selectDialects({ protocolVersion }: ClientOptions): readonly Dialect[] {
  if (protocolVersion === undefined) return dialects;
  const dialect = getDialect(protocolVersion);
  if (dialect) return [dialect];
  const expected = `one of ${dialects.map(each => each.protocolVersion).join(', ')}`;
  throw new TenonError('connect/protocol-version', 'unknown protocol version', { expected, received: protocolVersion });
}

/** Returns the dialect that the server chose in its response to `initialize`. Throws if the client may not use it. */
export function selectAgreedDialect(
  peer: string,
  version: string,
  requested: Dialect,
  wanted: readonly Dialect[],
): Dialect {
  const candidates = (wanted.length > 1 ? dialects : [requested]).filter(({ opening }) => opening === 'handshake');
  const dialect = candidates.find(({ protocolVersion }) => protocolVersion === version);
  if (dialect) return dialect;
  throw new TenonError(
    'connect/no-shared-version',
    'the server chose a protocol version that this client does not support in a handshake',
    {
      peer,
      expected: candidates.map(({ protocolVersion }) => protocolVersion).join(', '),
      received: version.slice(0, 40),
      hint: 'update the older side, or remove the option `protocolVersion`',
    },
  );
}
