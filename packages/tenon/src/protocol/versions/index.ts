import { v20241105 } from './2024-11-05.js';
import { v20250326 } from './2025-03-26.js';
import { v20250618 } from './2025-06-18.js';
import { v20251125 } from './2025-11-25.js';
import { v20260728 } from './2026-07-28.js';
import { compileDialects } from './define-version.js';
import type { Dialect } from './dialect.js';
import type { ProtocolVersion } from './protocol-version.js';

/** Every protocol version that the library supports, newest first. This is the only list of versions. */
export const dialects: readonly Dialect[] = compileDialects([v20241105, v20250326, v20250618, v20251125, v20260728]);

/**
 * The version of an HTTP request that names none and belongs to no session.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header
 */
export const DEFAULT_HTTP_VERSION = '2025-03-26';

const dialectsByVersion = new Map(dialects.map(dialect => [dialect.protocolVersion, dialect]));

/** Returns the dialect of a protocol version, or `undefined` if the library does not support it. */
export function getDialect(protocolVersion: string): Dialect | undefined {
  return dialectsByVersion.get(protocolVersion);
}

/** Returns the newest dialect, or the newest dialect with the given opening. */
export function getNewestDialect(opening?: Dialect['opening']): Dialect {
  return dialects.find(dialect => opening === undefined || dialect.opening === opening) as Dialect;
}

/** Returns the version for a handshake: the requested one, or else the newest version with a handshake. */
export function negotiateDialect(requested: string, served: readonly Dialect[] = dialects): Dialect {
  const candidates = served.filter(dialect => dialect.opening === 'handshake');
  return (
    candidates.find(dialect => dialect.protocolVersion === requested) ?? candidates[0] ?? getNewestDialect('handshake')
  );
}

/** Every protocol version that the library supports, newest first. */
export const protocolVersions: readonly ProtocolVersion[] = /* #__PURE__ */ dialects.map(
  dialect => dialect.protocolVersion as ProtocolVersion,
);
