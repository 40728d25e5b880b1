import { TenonError } from '../../jsonrpc/error.js';
import { parseTemplate, type Template } from '../../server/uri-template/template.js';
import { labelsOf } from './label.js';
import { overlap } from './overlap.js';
import { type Held, unwrap, wrap } from './wrapping.js';

/** Templates of one server that URIs are matched with; those beyond are offered, and nothing is routed by them. */
const MAX_ROUTED_TEMPLATES = 1_000;

export interface ResourceNamesOptions {
  /** The names of all servers of the configuration, in the order in which they are told. */
  readonly servers: readonly string[];
}

/**
 * The URIs by which the resources of many servers are offered together, and the way back. A URI stays as it is while it
 * is certain whose it is; else it is wrapped as `tenon:LABEL/URI`, which names the server and holds the URI untouched. With
 * one server nothing is ever wrapped.
 */
export interface ResourceNames {
  /** Takes note of all that a server offers now: URIs, and the texts of its templates. */
  see(server: string, uris: readonly string[], templates: readonly string[]): void;
  /** The URI outside, also for one that no list names, as in a result. Throws `names/unknown-server`. */
  outer(server: string, uri: string): string;
  /** The template outside: wrapped when URIs of it could be another server's. Throws `names/unknown-server`. */
  outerTemplate(server: string, template: string): string;
  /** Whose a URI is, if that is certain. */
  inner(uri: string): Held | undefined;
  /** Whose a template is, if that is certain. */
  innerTemplate(template: string): Held | undefined;
  /**
   * The servers that may own a URI: the one that it is wrapped for; else those that list it; else those with a template that
   * matches. With more than one, which of them is for the caller to say: the URI wrapped for each names them apart.
   */
  owners(uri: string): readonly string[];
}

interface Offering {
  readonly uris: ReadonlySet<string>;
  readonly templates: ReadonlyMap<string, Template | undefined>;
}

const NOTHING: Offering = { uris: new Set(), templates: new Map() };

/** Makes the names of all resources and templates of a host. */
export function createResourceNames({ servers }: ResourceNamesOptions): ResourceNames {
  const byLabel = labelsOf(servers);
  const labels = new Map([...byLabel].map(([label, server]) => [server, label]));
  const offerings = new Map<string, Offering>([...labels.keys()].map(server => [server, NOTHING]));
  const ordered = [...new Set(servers)];
  const only = ordered.length === 1 ? ordered[0] : undefined;
  const label = (server: string): string => labels.get(server) ?? unknownServer(server);
  const which = (says: (offering: Offering) => boolean) => ordered.filter(each => says(offerings.get(each) ?? NOTHING));

  const owners = (uri: string): readonly string[] => {
    if (only !== undefined) return [only];
    const held = unwrap(uri, byLabel);
    if (held !== undefined) return [held.server];
    const listed = which(({ uris }) => uris.has(uri));
    if (listed.length > 0) return listed;
    return which(({ templates }) => [...templates.values()].some(each => matches(each, uri)));
  };
  const templateOwners = (text: string): readonly string[] => {
    const own = which(({ templates }) => templates.has(text));
    const parsed = offerings.get(own[0] ?? '')?.templates.get(text);
    if (own.length !== 1 || parsed === undefined) return own;
    const rivals = which(({ templates }) => [...templates.values()].some(each => each && overlap(parsed, each)));
    return [...new Set([...own, ...rivals])];
  };
  const isFor = (found: readonly string[], server: string) => found.length === 1 && found[0] === server;
  const certain = (text: string, found: readonly string[]): Held | undefined => {
    if (only !== undefined) return { server: only, uri: text };
    const [server, ...others] = found;
    return unwrap(text, byLabel) ?? (server === undefined || others.length > 0 ? undefined : { server, uri: text });
  };
  const named = (server: string, text: string, find: (text: string) => readonly string[]): string => {
    const own = label(server);
    const isPlain = unwrap(text, byLabel) === undefined && isFor(find(text), server);
    return only !== undefined || isPlain ? text : wrap(own, text);
  };
  return {
    see(server, uris, templates) {
      label(server);
      const routed = templates.slice(0, MAX_ROUTED_TEMPLATES);
      offerings.set(server, { uris: new Set(uris), templates: new Map(routed.map(each => [each, read(each)])) });
    },
    outer: (server, uri) => named(server, uri, owners),
    outerTemplate: (server, template) => named(server, template, templateOwners),
    inner: uri => certain(uri, owners(uri)),
    innerTemplate: template => certain(template, templateOwners(template)),
    owners,
  };
}

/** Whether a URI leads to a server at all; whether it leads out of a folder is for the server to judge. */
function matches(template: Template | undefined, uri: string): boolean {
  return template?.match(uri, { allowUnsafe: true }) !== undefined;
}

/** A template that can not be read matches nothing: it is offered as it stands, and its server answers for it. */
function read(text: string): Template | undefined {
  try {
    return parseTemplate(text);
  } catch {
    return undefined;
  }
}

function unknownServer(name: string): never {
  throw new TenonError('names/unknown-server', `the host has no server ${JSON.stringify(name.slice(0, 100))}`, {
    next: 'name a server of the configuration',
  });
}
