import { addLabel, getKeptScheme, TenonError, unwrapUri, type WrappedResource, wrapUri } from '@tenon/base';
import type { Resource, ResourceTemplate } from 'tenon';
import { parseTemplate, type Template } from 'tenon/host-internals';
import { memoizeByList } from '../memoize-by-list.js';
import { createLabels } from './label.js';
import { createPublicAddresses, type PublicAddresses } from './public-addresses.js';
import { haveCommonUris } from './template-overlap.js';

/** Maximum number of templates of one server that are used to route URIs. Further templates are only listed. */
const MAX_ROUTED_TEMPLATES = 1_000;

type ResourceUri = Pick<Resource, 'uri'>;
type TemplateUri = Pick<ResourceTemplate, 'uriTemplate'>;

export interface ResourceNameMapperOptions {
  /** Names of all servers, in the order of the configuration. */
  readonly servers: readonly string[];
  /**
   * Addresses that the callers have seen. They outlive the mapper.
   * @default none
   */
  readonly addresses?: PublicAddresses | undefined;
}

/**
 * Maps the URIs of many servers to public URIs, and back.
 *
 * A URI stays unchanged while its owner is unambiguous. Otherwise it is wrapped as `tenon:LABEL/URI`, which contains
 * the server and the original URI. With one server, no URI is wrapped.
 *
 * Addresses of apps and skills keep their scheme: `ui://LABEL/…` if the owner is ambiguous, and `skill://LABEL/…` always,
 * because each server has a namespace of its own for skills.
 */
export interface ResourceNameMapper {
  /** Updates the URIs and templates of a server. What is made of equal arrays is in memory once. */
  update(server: string, resources: readonly ResourceUri[], templates: readonly TemplateUri[]): void;
  /** Updates the addresses of pages that the tools of a server declare. They need not be in a list of resources. */
  declarePages(server: string, uris: readonly string[]): void;
  /**
   * Returns the public URI. Also accepts URIs that no list contains, for example from a result.
   *
   * @throws TenonError `names/unknown-server`
   */
  toPublic(server: string, uri: string): string;
  /**
   * Returns the public template. It is wrapped when its URIs could belong to another server.
   *
   * @throws TenonError `names/unknown-server`
   */
  toPublicTemplate(server: string, template: string): string;
  /** Returns the server of a URI, if it is unambiguous. */
  toServer(uri: string): WrappedResource | undefined;
  /** Returns the server of a template, if it is unambiguous. */
  toServerTemplate(template: string): WrappedResource | undefined;
  /**
   * Returns the servers that may own a URI: the one in a wrapped URI, else those that list it, else those with a
   * matching template. If there are several, the caller must use the wrapped URI of one of them.
   */
  findOwners(uri: string): readonly string[];
  /**
   * Returns the servers that may own a template: those that have it, and if it is one, those with a template whose URIs
   * could be the same.
   */
  findTemplateOwners(template: string): readonly string[];
}

/** Creates the mapper for all resources and templates of a host. */
export function createResourceNameMapper({
  servers,
  addresses = createPublicAddresses(),
}: ResourceNameMapperOptions): ResourceNameMapper {
  const [only, ...others] = new Set(servers);
  return only === undefined || others.length > 0
    ? new SharedResourceNames(servers, addresses)
    : createOnlyServerMapper(only, addresses);
}

/** Creates the mapper of a host with one server, whose URIs and templates all stay unchanged. */
function createOnlyServerMapper(only: string, addresses: PublicAddresses): ResourceNameMapper {
  const check = (server: string): void => void (server === only || throwUnknownServer(server));
  const findShown = (uri: string): WrappedResource | undefined => {
    const shown = addresses.find(uri);
    return shown?.server === only ? shown : undefined;
  };
  return {
    update: check,
    declarePages: check,
    toPublic(server, uri) {
      check(server);
      return getKeptScheme(uri) === undefined ? uri : addresses.show({ server, uri }, [uri]);
    },
    toPublicTemplate(server, template) {
      check(server);
      return template;
    },
    toServer: uri => findShown(uri) ?? { server: only, uri },
    toServerTemplate: template => ({ server: only, uri: template }),
    findOwners: () => [only],
    findTemplateOwners: () => [only],
  };
}

/** Resources of one server, as far as its lists and tools name them. */
interface ServerResources {
  readonly server: string;
  readonly label: string;
  uris: ReadonlySet<string>;
  /** Addresses of pages that tools declare. */
  pages: ReadonlySet<string>;
  templates: ReadonlyMap<string, Template | undefined>;
}

const indexUris = memoizeByList((entries: readonly ResourceUri[]) => new Set(entries.map(({ uri }) => uri)));
const indexTemplates = memoizeByList(
  (entries: readonly TemplateUri[]) =>
    new Map(
      entries.slice(0, MAX_ROUTED_TEMPLATES).map(({ uriTemplate }) => [uriTemplate, tryParseTemplate(uriTemplate)]),
    ),
);

/** URIs and templates of several servers. */
class SharedResourceNames implements ResourceNameMapper {
  readonly #byLabel: ReadonlyMap<string, string>;
  /** Resources by the name of their server, in the order of the configuration. */
  readonly #resources: ReadonlyMap<string, ServerResources>;
  readonly #addresses: PublicAddresses;
  /** Templates with a kept scheme, by the public template with the label of their server. */
  readonly #labelled = new Map<string, WrappedResource>();

  constructor(servers: readonly string[], addresses: PublicAddresses) {
    this.#byLabel = createLabels(servers);
    this.#addresses = addresses;
    const labels = new Map([...this.#byLabel].map(([label, server]) => [server, label]));
    this.#resources = new Map(
      servers.map(server => [
        server,
        { server, label: labels.get(server) ?? server, uris: new Set(), pages: new Set(), templates: new Map() },
      ]),
    );
  }

  update(server: string, resources: readonly ResourceUri[], templates: readonly TemplateUri[]): void {
    const own = this.#get(server);
    own.uris = indexUris(resources);
    own.templates = indexTemplates(templates);
  }

  declarePages(server: string, uris: readonly string[]): void {
    this.#get(server).pages = new Set(uris);
  }

  toPublic(server: string, uri: string): string {
    const { label } = this.#get(server);
    if (getKeptScheme(uri) !== undefined)
      return this.#addresses.show({ server, uri }, this.#listAddresses(server, label, uri));
    return this.#isPlain(uri, server, this.findOwners(uri)) ? uri : wrapUri(label, uri);
  }

  toPublicTemplate(server: string, template: string): string {
    const { label } = this.#get(server);
    const owners = this.findTemplateOwners(template);
    const scheme = getKeptScheme(template);
    if (scheme !== 'skill' && this.#isPlain(template, server, owners)) return template;
    if (scheme === undefined) return wrapUri(label, template);
    const labelled = addLabel(label, template);
    this.#labelled.set(labelled, { server, uri: template });
    return labelled;
  }

  toServer(uri: string): WrappedResource | undefined {
    return this.#findShown(uri) ?? unwrapUri(uri, this.#byLabel) ?? toOnlyOwner(uri, this.#findUnwrappedOwners(uri));
  }

  toServerTemplate(template: string): WrappedResource | undefined {
    return (
      this.#labelled.get(template) ??
      unwrapUri(template, this.#byLabel) ??
      toOnlyOwner(template, this.findTemplateOwners(template))
    );
  }

  findOwners(uri: string): readonly string[] {
    const named = this.#findShown(uri) ?? unwrapUri(uri, this.#byLabel);
    return named === undefined ? this.#findUnwrappedOwners(uri) : [named.server];
  }

  findTemplateOwners(text: string): readonly string[] {
    const owners = this.#filterServers(({ templates }) => templates.has(text));
    const parsed = this.#resources.get(owners[0] ?? '')?.templates.get(text);
    if (owners.length !== 1 || parsed === undefined) return owners;
    const rivals = this.#filterServers(({ templates }) =>
      [...templates.values()].some(each => each && haveCommonUris(parsed, each)),
    );
    return [...new Set([...owners, ...rivals])];
  }

  #get(server: string): ServerResources {
    return this.#resources.get(server) ?? throwUnknownServer(server);
  }

  #filterServers(predicate: (resources: ServerResources) => boolean): readonly string[] {
    return [...this.#resources.values()].filter(predicate).map(({ server }) => server);
  }

  /** Tells if a text needs no wrapping, because it is the text of this server only. */
  #isPlain(text: string, server: string, owners: readonly string[]): boolean {
    return owners.length === 1 && owners[0] === server && unwrapUri(text, this.#byLabel) === undefined;
  }

  #findUnwrappedOwners(uri: string): readonly string[] {
    const listing = this.#findListing(uri);
    if (listing.length > 0) return listing;
    return this.#filterServers(({ templates }) => [...templates.values()].some(each => matchesTemplate(each, uri)));
  }

  #findListing(uri: string): readonly string[] {
    return this.#filterServers(({ uris, pages }) => uris.has(uri) || pages.has(uri));
  }

  /** Finds the resource of an address with a kept scheme: one that was shown, or one with the label of its server. */
  #findShown(uri: string): WrappedResource | undefined {
    const shown = this.#addresses.find(uri);
    if (shown && this.#resources.has(shown.server)) return shown;
    const scheme = getKeptScheme(uri);
    if (scheme === undefined || this.#findListing(uri).length > 0) return undefined;
    const [, label = '', rest = ''] = /^[a-z]+:\/\/([^/]*)\/(.+)$/i.exec(uri) ?? [];
    const server = this.#byLabel.get(label);
    if (server === undefined) return undefined;
    const own = { server, uri: `${scheme}://${rest}` };
    if (scheme === 'skill') return own;
    const { templates } = this.#get(server);
    const hasTemplate = [...this.#labelled.values()].some(
      each => each.server === server && matchesTemplate(templates.get(each.uri), own.uri),
    );
    return hasTemplate ? own : undefined;
  }

  /** Returns the candidates for the public address of a resource, the best one first. */
  *#listAddresses(server: string, label: string, uri: string): Generator<string> {
    if (getKeptScheme(uri) === 'ui' && this.#findListing(uri).every(each => each === server)) yield uri;
    for (let attempt = 1; ; attempt++) {
      const address = addLabel(attempt === 1 ? label : `${label}-${attempt}`, uri);
      // Another server may list an address that looks like this one.
      if (this.#findListing(address).length === 0) yield address;
    }
  }
}

/** Returns the resource of a text that names no server, if it has one owner. */
function toOnlyOwner(uri: string, [server, ...others]: readonly string[]): WrappedResource | undefined {
  return server === undefined || others.length > 0 ? undefined : { server, uri };
}

/** Tells if a URI matches the template of a server. The server itself must reject a URI that leaves its folder. */
function matchesTemplate(template: Template | undefined, uri: string): boolean {
  return template?.match(uri, { allowUnsafe: true }) !== undefined;
}

/**
 * Parses a template. Returns `undefined` for an invalid one, which matches no URI. It is listed unchanged, and its
 * server handles it.
 */
function tryParseTemplate(text: string): Template | undefined {
  try {
    return parseTemplate(text);
  } catch {
    return undefined;
  }
}

function throwUnknownServer(name: string): never {
  throw new TenonError('names/unknown-server', `server ${JSON.stringify(name.slice(0, 100))} not found in the host`, {
    hint: 'use the name of a configured server',
  });
}
