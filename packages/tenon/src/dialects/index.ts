import { r20241105 } from './2024-11-05.js';
import { r20250326 } from './2025-03-26.js';
import { r20250618 } from './2025-06-18.js';
import { r20251125 } from './2025-11-25.js';
import { r20260728 } from './2026-07-28.js';
import type { Dialect } from './dialect.js';
import { compile } from './revision.js';

/** Every revision that Tenon speaks, newest first: the only list of revisions. */
export const dialects: readonly Dialect[] = compile([r20241105, r20250326, r20250618, r20251125, r20260728]);

/**
 * The version of a request over HTTP that names none and belongs to no session.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header
 */
export const REVISION_WITHOUT_HEADER = '2025-03-26';

const byRevision = new Map(dialects.map(dialect => [dialect.revision, dialect]));

/** The dialect of a protocol version string, when Tenon speaks it. */
export function dialectOf(revision: string): Dialect | undefined {
  return byRevision.get(revision);
}

/** The newest dialect, or the newest that opens in a given manner. */
export function newest(opening?: Dialect['opening']): Dialect {
  return dialects.find(dialect => opening === undefined || dialect.opening === opening) as Dialect;
}

/** What a server answers to a client that asks for a revision in a handshake: that one, or the newest that has handshakes. */
export function negotiate(asked: string, served: readonly Dialect[] = dialects): Dialect {
  const candidates = served.filter(dialect => dialect.opening === 'handshake');
  return candidates.find(dialect => dialect.revision === asked) ?? candidates[0] ?? newest('handshake');
}
