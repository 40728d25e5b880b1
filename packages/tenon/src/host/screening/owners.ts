import type { Offered } from '../offered.js';
import { folded } from './lookalikes.js';

/** Whose a tool is, among all servers of a host: by names as they look, so that a name made to be taken for another is found. */

export interface Owner {
  readonly server: string;
  readonly name: string;
}

export type Owners = ReadonlyMap<string, readonly Owner[]>;

const longestName = 128;

export function ownersOf(lists: readonly Pick<Offered, 'server' | 'tools'>[]): Owners {
  return ownersByLooks(lists);
}

function ownersByLooks(lists: readonly Pick<Offered, 'server' | 'tools'>[]): Map<string, Owner[]> {
  const owners = new Map<string, Owner[]>();
  for (const { server, tools } of lists) {
    for (const { name } of tools) {
      const seen = skeleton(name);
      const known = owners.get(seen);
      if (known) known.push({ server, name });
      else owners.set(seen, [{ server, name }]);
    }
  }
  return owners;
}

/** The same, where lists come and change one by one: what one server offers costs as much as it is long, however many there are. */
export function createOwners(): { readonly now: Owners; see(server: string, tools: Offered['tools']): void } {
  const owners = new Map<string, Owner[]>();
  const seen = new Map<string, ReadonlySet<string>>();
  return {
    now: owners,
    see(server, tools) {
      for (const looks of seen.get(server) ?? []) {
        const others = (owners.get(looks) ?? []).filter(owner => owner.server !== server);
        if (others.length > 0) owners.set(looks, others);
        else owners.delete(looks);
      }
      const own = ownersByLooks([{ server, tools }]);
      for (const [looks, its] of own) {
        const known = owners.get(looks);
        if (known) known.push(...its);
        else owners.set(looks, its);
      }
      seen.set(server, new Set(own.keys()));
    },
  };
}

/** The tool of another server that a name is, or looks like. */
export function shadowedBy(name: string, server: string, owners: Owners): Owner | undefined {
  return owners.get(skeleton(name))?.find(owner => owner.server !== server);
}

const identifier = /[\p{L}\p{N}][\p{L}\p{N}_.-]{3,127}/gu;

/** Words of a text that are names of tools of other servers alone. Names that are words of the language are none. */
export function foreignTools(text: string, server: string, owners: Owners): { owner: Owner; at: number }[] {
  const seen = new Map<string, { owner: Owner; at: number }>();
  for (const match of text.matchAll(identifier)) {
    const word = match[0].replace(/[.-]+$/, '');
    if (seen.has(word) || !/[_.-]|\p{Ll}\p{Lu}/u.test(word)) continue;
    const known = owners.get(skeleton(word));
    if (!known || known.some(owner => owner.server === server)) continue;
    const owner = known.find(each => each.name === word);
    if (owner) seen.set(word, { owner, at: match.index });
  }
  return [...seen.values()];
}

function skeleton(name: string): string {
  return folded(name.slice(0, longestName))
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replace(/0/g, 'o')
    .replace(/1/g, 'l');
}
