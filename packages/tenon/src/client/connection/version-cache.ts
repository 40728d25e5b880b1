import { type Clock, requireKnownOptions, setNewest, systemClock } from '@tenon/base';

/**
 * Caches the protocol version that was negotiated with each endpoint. You may implement it with a file or a store. The
 * client replaces an entry that the server no longer accepts.
 */
export interface VersionCache {
  /** Returns the protocol version of an endpoint, if it is known. */
  get(endpoint: string): string | undefined | Promise<string | undefined>;
  /** Stores the protocol version of an endpoint. */
  set(endpoint: string, protocolVersion: string): void | Promise<void>;
  /** Deletes the protocol version of an endpoint. */
  delete(endpoint: string): void | Promise<void>;
}

const MAX_ENDPOINTS = 1000;
/**
 * Lifetime of an entry, in milliseconds. The version is then negotiated again, because the server may have been
 * updated.
 */
const ENTRY_TTL = 60 * 60_000;

/** Creates a version cache in the memory of this process: 1,000 endpoints, one hour each. */
export function memoryVersionCache(options: { readonly clock?: Clock | undefined } = {}): VersionCache {
  requireKnownOptions('memoryVersionCache', options, { clock: true });
  const { clock = systemClock } = options;
  const entries = new Map<string, { protocolVersion: string; expiresAt: number }>();
  return {
    get(endpoint) {
      const entry = entries.get(endpoint);
      return entry && entry.expiresAt > clock.now() ? entry.protocolVersion : undefined;
    },
    set(endpoint, protocolVersion) {
      setNewest(entries, endpoint, { protocolVersion, expiresAt: clock.now() + ENTRY_TTL }, MAX_ENDPOINTS);
    },
    delete: endpoint => void entries.delete(endpoint),
  };
}

export const processVersionCache: VersionCache = memoryVersionCache();
