import type { ServerInventory } from '../../catalog/server-inventory.js';
import { foldLookalikes } from './text/lookalikes.js';

/**
 * Owner of a tool among all servers of a host. Tools are compared by the appearance of their names, to find imitations.
 */

export interface ToolOwner {
  readonly server: string;
  readonly name: string;
}

export type ToolOwners = ReadonlyMap<string, readonly ToolOwner[]>;

const MAX_NAME = 128;

export function collectToolOwners(lists: readonly Pick<ServerInventory, 'server' | 'tools'>[]): ToolOwners {
  return groupOwnersByLookalike(lists);
}

function groupOwnersByLookalike(
  lists: readonly { readonly server: string; readonly tools: readonly { readonly name: string }[] }[],
): Map<string, ToolOwner[]> {
  const owners = new Map<string, ToolOwner[]>();
  for (const { server, tools } of lists) {
    for (const { name } of tools) {
      const seen = toSkeleton(name);
      const known = owners.get(seen);
      if (known) known.push({ server, name });
      else owners.set(seen, [{ server, name }]);
    }
  }
  return owners;
}

/**
 * Creates an index of tool owners that is updated per server. An update takes time proportional to that server's list
 * only.
 */
export function createOwnerIndex(): {
  readonly current: ToolOwners;
  /** Number of the last change. */
  readonly version: number;
  update(server: string, tools: readonly { readonly name: string }[]): void;
} {
  const owners = new Map<string, ToolOwner[]>();
  const seen = new Map<string, ReadonlySet<string>>();
  const lists = new Map<string, readonly { readonly name: string }[]>();
  let version = 0;
  return {
    current: owners,
    get version() {
      return version;
    },
    update(server, tools) {
      if (lists.get(server) === tools) return;
      lists.set(server, tools);
      version += 1;
      for (const looks of seen.get(server) ?? []) {
        const others = (owners.get(looks) ?? []).filter(owner => owner.server !== server);
        if (others.length > 0) owners.set(looks, others);
        else owners.delete(looks);
      }
      const own = groupOwnersByLookalike([{ server, tools }]);
      for (const [looks, its] of own) {
        const known = owners.get(looks);
        if (known) known.push(...its);
        else owners.set(looks, its);
      }
      seen.set(server, new Set(own.keys()));
    },
  };
}

/** Returns the tool of another server that has this name, or a name that looks like it. */
export function findShadowedTool(name: string, server: string, owners: ToolOwners): ToolOwner | undefined {
  return owners.get(toSkeleton(name))?.find(owner => owner.server !== server);
}

const identifier = /[\p{L}\p{N}][\p{L}\p{N}_.-]{3,127}/gu;

/**
 * Finds words of a text that are tool names of other servers only. Tool names that are ordinary English words are
 * ignored.
 */
export function findForeignTools(text: string, server: string, owners: ToolOwners): { owner: ToolOwner; at: number }[] {
  const seen = new Map<string, { owner: ToolOwner; at: number }>();
  for (const match of text.matchAll(identifier)) {
    const word = match[0].replace(/[.-]+$/, '');
    if (seen.has(word) || !/[_.-]|\p{Ll}\p{Lu}/u.test(word)) continue;
    const known = owners.get(toSkeleton(word));
    if (!known || known.some(owner => owner.server === server)) continue;
    const owner = known.find(each => each.name === word);
    if (owner) seen.set(word, { owner, at: match.index });
  }
  return [...seen.values()];
}

function toSkeleton(name: string): string {
  return foldLookalikes(name.slice(0, MAX_NAME))
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replace(/0/g, 'o')
    .replace(/1/g, 'l');
}
