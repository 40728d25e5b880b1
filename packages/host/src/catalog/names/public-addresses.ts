import type { WrappedResource } from '@tenon/base';

/** Addresses of one kind of callers that are kept. The first shown ones are dropped first. */
const MAX_ADDRESSES = 20_000;

/**
 * Public addresses with a scheme that programs know: `ui://` of apps, and `skill://`. A client finds the server of such an
 * address in this map, and never by its text, because a server may list an address that looks like one of another server.
 */
export interface PublicAddresses {
  /** Returns the resource that was shown under an address. */
  find(address: string): WrappedResource | undefined;
  /** Returns the address of a resource: the one that was shown before, or the first candidate that no other one has. */
  show(resource: WrappedResource, candidates: Iterable<string>): string;
  /** Records that a caller has read a page of an app. */
  recordView(server: string): void;
  /** Servers of which a caller has read a page of an app. */
  readonly viewed: ReadonlySet<string>;
}

export function createPublicAddresses(): PublicAddresses {
  const byAddress = new Map<string, WrappedResource>();
  const byResource = new Map<string, string>();
  const viewed = new Set<string>();
  const toKey = ({ server, uri }: WrappedResource) => `${server}\n${uri}`;
  return {
    find: address => byAddress.get(address),
    show(resource, candidates) {
      const key = toKey(resource);
      const known = byResource.get(key);
      if (known !== undefined) return known;
      for (const address of candidates) {
        if (byAddress.has(address)) continue;
        byAddress.set(address, resource);
        byResource.set(key, address);
        const [eldest] = byAddress;
        if (byAddress.size > MAX_ADDRESSES && eldest) {
          byAddress.delete(eldest[0]);
          byResource.delete(toKey(eldest[1]));
        }
        return address;
      }
      return resource.uri;
    },
    recordView: server => void viewed.add(server),
    viewed,
  };
}
