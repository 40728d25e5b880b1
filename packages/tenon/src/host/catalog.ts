import { getSignInRequest } from '../auth/sign-in-required.js';
import { INVALID_PARAMS } from '../jsonrpc/codes.js';
import { isForPeer, rpcError, TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { Cacheable } from '../model/shapes.js';
import { TASKS } from '../model/tasks.js';
import type { Audience } from './audience.js';
import { createNames, findByPrefix, type Names, type Prefix } from './names/names.js';
import { createResourceNames, type ResourceNames } from './names/resources.js';
import type { Held } from './names/wrapping.js';
import { unreachable } from './relay/crossing.js';
import type { Absent, Gathered, Part, Switchboard } from './switchboard.js';
import type { Line } from './upstream/line.js';
import { type Kind, type Kinds, type List, strictest } from './upstream/lists.js';

/** Says what of a server's list may be offered, and in which words. Names and URIs stay as they are. */
export type Admit = <K extends Kind>(kind: K, part: Part<K>) => Promise<readonly Kinds[K][]>;

/** The kinds whose entries have names that are made for the outside. */
export type Named = 'tools' | 'prompts';
type Located = 'resources' | 'templates';

/** One list as it is offered: in outer names, all servers together. */
export interface Offering<K extends Kind> extends Cacheable {
  readonly items: readonly Kinds[K][];
  readonly absent: readonly Absent[];
}

/** Where a name leads to. What is not offered leads there as well when the server has it: the guard refuses it, and says why. */
export interface Route<K extends Named> {
  readonly line: Line;
  /** As the server calls it. */
  readonly name: string;
  readonly entry: Kinds[K];
}

/** Where a URI, or a template, leads to. */
export interface Place {
  readonly line: Line;
  readonly uri: string;
}

type Index = ReadonlyMap<string, Kinds[Named]>;

/** What all servers offer to one audience, under the names that they have together. */
export class HostCatalog {
  readonly #board: Switchboard;
  readonly #audience: Audience;
  readonly #names: Readonly<Record<Named, Names>>;
  readonly #resources: ResourceNames;
  readonly #admit: Admit;
  readonly #prefix: Prefix;
  /** The lists of resources as they were when it was last looked who has which URI. */
  #located: readonly Part<'resources'>[] = [];
  readonly #admitted = new WeakMap<List<Kind>, Promise<readonly Kinds[Kind][]>>();
  readonly #indices = new WeakMap<readonly Kinds[Kind][], Index>();
  readonly #together = new Map<
    Kind,
    { readonly lists: readonly List<Kind>[]; readonly items: readonly Kinds[Kind][] }
  >();
  /** The servers that were not there when it was last looked who has which URI. */
  absent: readonly Absent[] = [];

  constructor(board: Switchboard, audience: Audience, prefix: Prefix, admit: Admit) {
    const { servers } = board;
    this.#board = board;
    this.#audience = audience;
    this.#names = { tools: createNames({ servers, prefix }), prompts: createNames({ servers, prefix }) };
    this.#resources = createResourceNames({ servers });
    this.#admit = admit;
    this.#prefix = prefix;
  }

  /** What of a list is offered, all servers one after the other: the same array for as long as nothing has changed. */
  async offering<K extends Kind>(kind: K): Promise<Offering<K>> {
    if (kind === 'resources' || kind === 'templates') return this.#locatedOffering(kind) as Promise<Offering<K>>;
    const { parts, absent, ...hints } = await this.#board.gather(kind, this.#audience);
    const items = await this.#joined(kind, parts, part => this.#named(kind as Named, part as Part<Named>));
    return { items: items as readonly Kinds[K][], absent, ...hints };
  }

  /** Finds the tool or the prompt of this name. Throws -32602 when there is none. */
  async route<K extends Named>(kind: K, outer: string): Promise<Route<K>> {
    const found = this.#names[kind].inner(outer) ?? (await this.#learned(kind, outer));
    if (found) {
      const line = this.#board.line(found.server, this.#audience);
      const known = await this.#entry(kind, line, found.name, await answered(kind, line, line.lists.known(kind)));
      const now = () => answered(kind, line, line.lists.get(kind));
      const entry = known ?? (await this.#entry(kind, line, found.name, await now()));
      if (entry) return { line, name: found.name, entry };
      const withheld = (await now()).items.find(each => each.name === found.name);
      if (withheld) return { line, name: found.name, entry: withheld as Kinds[K] };
    }
    const withheld = found ? undefined : await this.#findWithheld(kind, outer);
    if (withheld) return withheld;
    throw unknown(kind, outer, { disabled: findByPrefix(this.#board.disabled, outer) });
  }

  /** Whose a URI is. None when no server is known to have it; throws when that is not certain. */
  async place(uri: string): Promise<Place | undefined> {
    const held = await this.#held(() => this.#resources.inner(uri));
    if (held) return { line: this.#board.line(held.server, this.#audience), uri: held.uri };
    const owners = this.#resources.owners(uri);
    if (owners.length > 1) throw ambiguous(uri, owners);
    const part = this.#located.find(({ list }) => list.items.some(each => each.uri === uri));
    return part && { line: part.line, uri };
  }

  async placeOfTemplate(template: string): Promise<Place | undefined> {
    const held = await this.#held(() => this.#resources.innerTemplate(template));
    return held && { line: this.#board.line(held.server, this.#audience), uri: held.uri };
  }

  /** Whose tool this is, as far as its name tells. */
  serverOf(tool: string): string | undefined {
    return this.#names.tools.inner(tool)?.server;
  }

  /** What the URI of a server is called outside. */
  outerUri(server: string, uri: string): string {
    return this.#resources.outer(server, uri);
  }

  /** Some names can be read only once the lists have been. */
  async #learned(kind: Named, outer: string): Promise<{ server: string; name: string } | undefined> {
    const { absent } = await this.offering(kind);
    const found = this.#names[kind].inner(outer);
    if (found === undefined && absent.length > 0) throw unknown(kind, outer, { absent });
    return found;
  }

  /** Finds by its name what a server has and is not offered: blocked by the lock, or left out by the configuration. */
  async #findWithheld<K extends Named>(kind: K, outer: string): Promise<Route<K> | undefined> {
    const { parts } = await this.#board.gather(kind, this.#audience);
    for (const { line, server, list } of parts) {
      const entry = list.items.find(({ name }) => {
        return this.#names[kind].outer(server, name) === outer || (this.#prefix === 'never' && name === outer);
      });
      if (entry) return { line, name: entry.name, entry };
    }
    return undefined;
  }

  async #entry<K extends Named>(kind: K, line: Line, name: string, list: List<K>): Promise<Kinds[K] | undefined> {
    const admitted = await this.#admittedOf(kind, { server: line.server, line, list });
    return this.#indexOf(admitted).get(name) as Kinds[K] | undefined;
  }

  async #named(kind: Named, part: Part<Named>): Promise<readonly Kinds[Named][]> {
    const admitted = await this.#admittedOf(kind, part);
    const names = this.#names[kind];
    names.see(
      part.server,
      admitted.map(({ name }) => name),
    );
    return admitted.map(entry => {
      const name = names.outer(part.server, entry.name);
      const support = 'inputSchema' in entry ? taskSupportOf(part.line, entry) : undefined;
      const execution = support === undefined ? {} : { execution: { taskSupport: support } };
      return name === entry.name && support === undefined ? entry : { ...entry, name, ...execution };
    });
  }

  async #locatedOffering<K extends Located>(kind: K): Promise<Offering<K>> {
    const [resources, templates] = await this.#locateNow();
    const { parts, absent, ...hints } = (kind === 'resources' ? resources : templates) as Gathered<Located>;
    const both = [...resources.parts, ...templates.parts].map(({ list }) => list);
    const all = { ...strictest(resources, templates), ...hints };
    const items = await this.#joined(kind, parts, part => this.#outer(kind, part as Part<Located>), both);
    return { items: items as readonly Kinds[K][], absent, ...all };
  }

  async #outer(kind: Located, part: Part<Located>): Promise<readonly Kinds[Located][]> {
    const admitted = await this.#admittedOf(kind, part);
    return admitted.map(entry => {
      if ('uriTemplate' in entry)
        return { ...entry, uriTemplate: this.#resources.outerTemplate(part.server, entry.uriTemplate) };
      return { ...entry, uri: this.#resources.outer(part.server, entry.uri) };
    });
  }

  /** What is known already holds up nothing, whoever else is slow; else all servers are asked. */
  async #held(find: () => Held | undefined): Promise<Held | undefined> {
    const known = find();
    if (known || this.#board.servers.length === 1) return known;
    await this.#locateNow();
    return find();
  }

  async #locateNow(): Promise<[Gathered<'resources'>, Gathered<'templates'>]> {
    const both = await Promise.all([
      this.#board.gather('resources', this.#audience),
      this.#board.gather('templates', this.#audience),
    ]);
    const [resources, templates] = both;
    for (const part of resources.parts) {
      const uris = (await this.#admittedOf('resources', part)).map(({ uri }) => uri);
      const own = templates.parts.find(({ server }) => server === part.server);
      const texts = own ? (await this.#admittedOf('templates', own)).map(({ uriTemplate }) => uriTemplate) : [];
      this.#resources.see(part.server, uris, texts);
    }
    this.absent = resources.absent;
    this.#located = resources.parts;
    return both;
  }

  #admittedOf<K extends Kind>(kind: K, part: Part<K>): Promise<readonly Kinds[K][]> {
    const known = this.#admitted.get(part.list) as Promise<readonly Kinds[K][]> | undefined;
    if (known) return known;
    const admitting = this.#admit(kind, part);
    this.#admitted.set(part.list, admitting);
    admitting.catch(() => this.#admitted.delete(part.list));
    return admitting;
  }

  async #joined(
    kind: Kind,
    parts: readonly Part<Kind>[],
    entries: (part: Part<Kind>) => Promise<readonly Kinds[Kind][]>,
    lists: readonly List<Kind>[] = parts.map(({ list }) => list),
  ): Promise<readonly Kinds[Kind][]> {
    const before = this.#together.get(kind);
    if (before && before.lists.length === lists.length && lists.every((list, at) => list === before.lists[at]))
      return before.items;
    const items = (await Promise.all(parts.map(entries))).flat();
    this.#together.set(kind, { lists, items });
    return items;
  }

  #indexOf(entries: readonly Kinds[Kind][]): Index {
    const known = this.#indices.get(entries);
    if (known) return known;
    const index = new Map(entries.map(entry => [entry.name, entry as Kinds[Named]]));
    this.#indices.set(entries, index);
    return index;
  }
}

/**
 * Says whether callers may have a task made of the tool's calls. Some servers say so of each tool, others make tasks as
 * they like. No caller has to ask for one: the host waits for the task of a tool that runs in no other way.
 */
export function taskSupportOf({ about }: Line, { execution }: Kinds['tools']): 'optional' | undefined {
  const capabilities = about?.capabilities;
  if (capabilities?.extensions?.[TASKS] !== undefined) return 'optional';
  const support = capabilities?.tasks === undefined ? undefined : execution?.taskSupport;
  return support === undefined || support === 'forbidden' ? undefined : 'optional';
}

/** A server that is not there has its own answer given in its place. */
async function answered<T>(kind: Named, { server }: Line, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (thrown) {
    const error = TenonError.from(thrown);
    throw isForPeer(error) || getSignInRequest(error) ? error : unreachable(error, server, `${kind}/list`);
  }
}

interface Reasons {
  readonly absent?: readonly Absent[];
  /** The disabled server that the name is of. */
  readonly disabled?: string | undefined;
}

function unknown(kind: Named, outer: string, { absent = [], disabled }: Reasons): Error {
  const what = `Unknown ${kind === 'tools' ? 'tool' : 'prompt'}: ${outer.slice(0, 128)}`;
  if (disabled !== undefined) return rpcError(INVALID_PARAMS, `${what}. The server "${disabled}" is disabled`);
  if (absent.length === 0) return rpcError(INVALID_PARAMS, what);
  const who = absent.map(({ server }) => server).join(', ');
  return rpcError(INVALID_PARAMS, `${what}. These servers are not there: ${who}`, { absent } as unknown as JsonObject);
}

function ambiguous(uri: string, owners: readonly string[]): Error {
  const who = owners.join(', ');
  return rpcError(
    INVALID_PARAMS,
    `Several servers have ${uri.slice(0, 256)}: ${who}. Read it by the URI that the list gives`,
    {
      uri,
    },
  );
}
