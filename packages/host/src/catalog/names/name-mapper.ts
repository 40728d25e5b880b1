import { setNewest, TenonError } from '@tenon/base';
import { createDigestName, createLabels, isPlain, MAX_NAME, SEPARATOR } from './label.js';

/** Maximum number of names with a digest that are stored per server. The oldest one is dropped first. */
export const MAX_DIGEST_NAMES = 20_000;

/** Prefix of public names with the server: always, never, or as soon as the host has more than one server. */
export type Prefix = 'always' | 'never' | 'auto';

export interface NameMapperOptions {
  /** Names of all configured servers, including unavailable ones, so that availability does not change any name. */
  readonly servers: readonly string[];
  readonly prefix: Prefix;
}

/**
 * Maps the names of tools of many servers to public names, and back. Prompts use an instance of their own.
 *
 * - With one server and no prefix, the names stay unchanged, including their characters.
 * - Otherwise a public name has at most 64 characters of `[A-Za-z0-9_-]`. With a prefix it is `label__name`, split at
 *   the first `__`.
 * - A name that is too long, has other characters or ends like a digest becomes a readable part and a digest. The
 *   digest covers the server and the name.
 * - A public name depends only on the server, the original name and the prefix, with three exceptions. With `auto`, it
 *   changes when the host goes from one server to several or back.
 * - With `never`, it changes when a second server starts or stops offering the same name. Both names then get the
 *   prefix, so that no name changes its meaning.
 * - If two digests of 50 bits are equal, the order in which the names were seen distinguishes them.
 */
export interface NameMapper {
  /** Updates the names of a server. Required with `never` and several servers, and for names with a digest. */
  update(server: string, inners: readonly string[]): void;
  /**
   * Returns the public name.
   *
   * @throws TenonError `names/unknown-server` for a server that is not configured.
   */
  toPublic(server: string, name: string): string;
  /**
   * Returns the server and original name of a public name. A plain name with a prefix is split even if it was never
   * seen, because only the server knows its tools. Returns `undefined` for a name that no server of the host can have.
   */
  toServer(publicName: string): { readonly server: string; readonly name: string } | undefined;
  /** Tells if `toServer` finds a server for the name. */
  hasName(publicName: string): boolean;
}

/** Returns the server whose prefix a name has. */
export function findByPrefix(servers: readonly string[], outer: string): string | undefined {
  for (const [label, server] of createLabels(servers)) if (outer.startsWith(label + SEPARATOR)) return server;
  return undefined;
}

interface NamedServer {
  readonly name: string;
  readonly label: string;
  /** Plain names of the server, for public names without a prefix. */
  plain: Set<string>;
  /** Original names by name with a digest. */
  readonly digests: Map<string, string>;
}

/**
 * Creates the name mapper of one kind of list.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names
 */
export function createNameMapper({ servers, prefix }: NameMapperOptions): NameMapper {
  const known = new Map<string, NamedServer>();
  const labelled = new Map<string, NamedServer>();
  for (const [label, name] of createLabels(servers)) {
    const server = { name, label, plain: new Set<string>(), digests: new Map<string, string>() };
    known.set(name, server);
    labelled.set(label, server);
  }
  const [only] = known.size === 1 && prefix !== 'always' ? known.keys() : [];
  const scheme = prefix === 'never' ? createPlainScheme(known, labelled) : createPrefixScheme(labelled);
  const find = (name: string): NamedServer => known.get(name) ?? throwUnknownServer(name, known.keys());
  const toServer: NameMapper['toServer'] = outer =>
    only !== undefined ? { server: only, name: outer } : scheme.toServer(outer);
  return {
    update(name, inners) {
      const server = find(name);
      if (prefix === 'never') server.plain = new Set(inners.filter(each => isPlain(each)));
      server.digests.clear();
      if (only === undefined) for (const each of [...inners].sort()) scheme.toPublic(server, each);
    },
    toPublic: (name, own) => (find(name).name === only ? own : scheme.toPublic(find(name), own)),
    toServer,
    hasName: outer => toServer(outer) !== undefined,
  };
}

interface NameScheme {
  toPublic(server: NamedServer, name: string): string;
  toServer(publicName: string): { readonly server: string; readonly name: string } | undefined;
}

function createPrefixScheme(labelled: ReadonlyMap<string, NamedServer>): NameScheme {
  return {
    toPublic(server, inner) {
      const start = server.label + SEPARATOR;
      const space = MAX_NAME - start.length;
      return start + (isPlain(inner, space) ? inner : rememberDigest(server, inner, space));
    },
    toServer(outer) {
      const at = outer.indexOf(SEPARATOR);
      const server = at < 0 ? undefined : labelled.get(outer.slice(0, at));
      const rest = outer.slice(at + SEPARATOR.length);
      if (server === undefined) return undefined;
      if (isPlain(rest, MAX_NAME - at - SEPARATOR.length)) return { server: server.name, name: rest };
      const name = server.digests.get(rest);
      return name === undefined ? undefined : { server: server.name, name };
    },
  };
}

function createPlainScheme(
  known: ReadonlyMap<string, NamedServer>,
  labelled: ReadonlyMap<string, NamedServer>,
): NameScheme {
  const prefixScheme = createPrefixScheme(labelled);
  const hasPrefix = (name: string) => labelled.has(name.slice(0, Math.max(0, name.indexOf(SEPARATOR))));
  const findOwners = (name: string) => [...known.values()].filter(server => server.plain.has(name));
  return {
    toPublic(server, inner) {
      if (!isPlain(inner)) return rememberDigest(server, inner, MAX_NAME, [...known.values()]);
      const isItsAlone = findOwners(inner).every(each => each === server) && server.plain.has(inner);
      return isItsAlone && !hasPrefix(inner) ? inner : prefixScheme.toPublic(server, inner);
    },
    toServer(outer) {
      if (hasPrefix(outer)) return prefixScheme.toServer(outer);
      const [owner, ...others] = findOwners(outer);
      if (owner !== undefined) return others.length > 0 ? undefined : { server: owner.name, name: outer };
      for (const { name: server, digests } of known.values()) {
        const name = digests.get(outer);
        if (name !== undefined) return { server, name };
      }
      return undefined;
    },
  };
}

/**
 * Returns the name with a digest, and stores it for `toServer`.
 *
 * @param among Servers whose names share one namespace.
 */
function rememberDigest(
  server: NamedServer,
  inner: string,
  space: number,
  among: readonly NamedServer[] = [server],
): string {
  for (let attempt = 0; ; attempt++) {
    const name = createDigestName(inner.slice(0, MAX_NAME * 2), [server.name, inner], space, attempt);
    const isTaken = among.some(each => each.digests.has(name) && (each !== server || each.digests.get(name) !== inner));
    if (isTaken) continue;
    setNewest(server.digests, name, inner, MAX_DIGEST_NAMES);
    return name;
  }
}

function throwUnknownServer(name: string, known: Iterable<string>): never {
  throw new TenonError('names/unknown-server', `server ${JSON.stringify(name.slice(0, 100))} not found in the host`, {
    expected: `one of ${[...known].slice(0, 20).join(', ') || 'no servers'}`,
    hint: 'use the name of a configured server',
  });
}
