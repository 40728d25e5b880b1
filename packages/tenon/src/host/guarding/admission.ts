import { parseTemplate } from '../../server/uri-template/template.js';
import type { Admit } from '../catalog.js';
import type { ServerEntry } from '../config/server-entry.js';
import type { DriftKind } from '../lock/drift.js';
import { type GateVerdict, isBlocked } from '../lock/gate.js';
import type { PinnedKind } from '../lock/lock.js';
import type { Offered } from '../offered.js';
import { compileNames } from '../policy/texts.js';
import { screenPrompt, screenResource, screenTool } from '../screening/definitions.js';
import { createOwners, type Owners } from '../screening/owners.js';
import type { Screened } from '../screening/screener.js';
import type { Part } from '../switchboard.js';
import type { Line } from '../upstream/line.js';
import type { Kind, Kinds } from '../upstream/lists.js';
import { masksDefinitions } from './delivery.js';
import { isSame, offeredOn } from './offered-on.js';
import type { GuardOptions, Sighted } from './options.js';

const PINNED: Readonly<Record<Kind, PinnedKind>> = {
  tools: 'tool',
  prompts: 'prompt',
  resources: 'resource',
  templates: 'template',
};

/** What was judged, and how. */
interface Judged {
  readonly offered: Offered;
  readonly verdict: Promise<GateVerdict>;
}

/** Judges what servers offer: by their configuration, by the lock, and by what is hidden in it. */
export class Admission {
  readonly #entries: ReadonlyMap<string, ServerEntry>;
  readonly #options: GuardOptions;
  readonly #hasPrefix: boolean;
  readonly #owners = createOwners();
  #judged = new WeakMap<Line, Judged>();

  /** `hasPrefix`: names are offered with a prefix of their server. */
  constructor(entries: ReadonlyMap<string, ServerEntry>, options: GuardOptions, hasPrefix: boolean) {
    this.#entries = entries;
    this.#options = options;
    this.#hasPrefix = hasPrefix;
  }

  /** What of a list is offered. Rejects when nothing of the server may be used. */
  readonly admit: Admit = async <K extends Kind>(kind: K, part: Part<K>): Promise<readonly Kinds[K][]> => {
    const { server, list } = part;
    const wanted = kind === 'tools' ? list.items.filter(({ name }) => this.#isWanted(server, name)) : list.items;
    const verdict = await this.#verdict(part.line);
    const held = verdict ? wanted.filter(item => !isBlocked(verdict, PINNED[kind], nameOf(item))) : wanted;
    if (kind === 'tools') this.#owners.see(server, held as unknown as Offered['tools']);
    const owners: Owners = kind === 'tools' ? this.#owners.now : new Map();
    return held.map(entry => this.#screened(kind, server, entry, owners));
  };

  /** What was judged is judged anew: something may have been approved. */
  forget(): void {
    this.#judged = new WeakMap();
  }

  /** Why something of a server is not to be used, where its configuration or the lock has it so. A resource may be named by its template. */
  async blocked(line: Line, kind: PinnedKind | 'method', name: string): Promise<string | undefined> {
    if (kind === 'tool' && !this.#isWanted(line.server, name))
      return `the configuration of the server "${line.server}" disables it`;
    const verdict = await this.#verdict(line);
    if (verdict === undefined || verdict.ok) return undefined;
    const isListed = kind === 'resource' && (await line.lists.known('resources')).items.some(({ uri }) => uri === name);
    const drifts = verdict.blocked.flatMap(each =>
      isBlocked({ ...verdict, blocked: [each] }, kind, name) ||
      (kind === 'resource' && !isListed && each.kind === 'template' && isOfTemplate(name, each.name))
        ? each.drifts
        : [],
    );
    if (drifts.length === 0) return undefined;
    return `the lock blocks it: ${describeBlock(drifts.map(drift => drift.kind))}`;
  }

  /** Whether nothing of a server may be used. */
  async isShut(line: Line): Promise<boolean> {
    const verdict = await this.#verdict(line);
    return verdict?.blocked.some(({ kind }) => kind === 'server') ?? false;
  }

  #isWanted(server: string, tool: string): boolean {
    const { include, exclude = [] } = this.#entries.get(server)?.tools ?? {};
    return (include === undefined || compileNames(include, true)(tool)) && !compileNames(exclude, false)(tool);
  }

  /** What the lock says of all that is offered on a line: looked at again with each change of that. */
  async #verdict(line: Line): Promise<GateVerdict | undefined> {
    const { gate, onDrift } = this.#options;
    const entry = this.#entries.get(line.server);
    if (gate === undefined || entry === undefined) return undefined;
    const offered = await offeredOn(line);
    const before = this.#judged.get(line);
    if (before && isSame(before.offered, offered)) return before.verdict;
    const verdict = gate.check(entry, offered).then(found => {
      if (found.drifts.length > 0) onDrift?.(line.server, found.drifts);
      return found;
    });
    this.#judged.set(line, { offered, verdict });
    verdict.catch(() => this.#judged.delete(line));
    return verdict;
  }

  #screened<K extends Kind>(kind: K, server: string, entry: Kinds[K], owners: Owners): Kinds[K] {
    const { screen = {}, onFindings } = this.#options;
    if (screen === false) return entry;
    const { value, findings } = screenEntry(kind, entry, {
      ...screen.definitions,
      mask: masksDefinitions(this.#options),
      server,
      owners,
      hasPrefix: this.#hasPrefix,
    });
    if (findings.length > 0) {
      const sighted: Sighted = { server, kind: PINNED[kind], name: nameOf(entry), findings };
      onFindings?.(sighted);
    }
    return value as Kinds[K];
  }
}

function describeBlock(kinds: readonly DriftKind[]): string {
  if (kinds.includes('unknown server')) return 'its server is not in the lock';
  if (kinds.includes('added')) return 'it is not in the lock';
  return `its ${[...new Set(kinds)].join(', ')} is not what was approved`;
}

function screenEntry(kind: Kind, entry: Kinds[Kind], screening: Parameters<typeof screenTool>[1]): Screened<unknown> {
  if (kind === 'tools') return screenTool(entry as Kinds['tools'], screening);
  if (kind === 'prompts') return screenPrompt(entry as Kinds['prompts'], screening);
  return screenResource(entry as Kinds['resources'], screening);
}

function nameOf(entry: Kinds[Kind]): string {
  if ('uri' in entry) return entry.uri;
  return 'uriTemplate' in entry ? entry.uriTemplate : entry.name;
}

function isOfTemplate(uri: string, template: string): boolean {
  if (template === uri) return true;
  try {
    return parseTemplate(template).match(uri, { allowUnsafe: true }) !== undefined;
  } catch {
    return false;
  }
}
