import { TenonError } from '../../jsonrpc/error.js';
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
