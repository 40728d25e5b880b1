import { TenonError } from '@tenon/base';
import { parseTemplate, type Template } from 'tenon/host-internals';
import { addLabel, getKeptScheme } from './kept-scheme.js';
import { createLabels } from './label.js';
import { createPublicAddresses, type PublicAddresses } from './public-addresses.js';
import { haveCommonUris } from './template-overlap.js';
import { unwrapUri, type WrappedResource, wrapUri } from './wrapped-uri.js';

/** Maximum number of templates of one server that are used to route URIs. Further templates are only listed. */
const MAX_ROUTED_TEMPLATES = 1_000;

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
  /** Updates the URIs and templates of a server. */
  update(server: string, uris: readonly string[], templates: readonly string[]): void;
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
}

interface ServerResources {
  readonly uris: ReadonlySet<string>;
  readonly templates: ReadonlyMap<string, Template | undefined>;
}

const NO_RESOURCES: ServerResources = { uris: new Set(), templates: new Map() };

/** Creates the mapper for all resources and templates of a host. */
export function createResourceNameMapper({
  servers,
  addresses = createPublicAddresses(),
}: ResourceNameMapperOptions): ResourceNameMapper {
  const byLabel = createLabels(servers);
  const labels = new Map([...byLabel].map(([getLabel, server]) => [server, getLabel]));
  const offerings = new Map<string, ServerResources>([...labels.keys()].map(server => [server, NO_RESOURCES]));
  const pages = new Map<string, ReadonlySet<string>>();
  /** Public templates with a kept scheme. */
  const labelled = new Map<string, { readonly server: string; readonly template: string; readonly label: string }>();
  const ordered = [...new Set(servers)];
  const only = ordered.length === 1 ? ordered[0] : undefined;
  const getLabel = (server: string): string => labels.get(server) ?? throwUnknownServer(server);
  const filterServers = (predicate: (offering: ServerResources) => boolean) =>
    ordered.filter(each => predicate(offerings.get(each) ?? NO_RESOURCES));

  const findListing = (uri: string): readonly string[] =>
    ordered.filter(each => offerings.get(each)?.uris.has(uri) || pages.get(each)?.has(uri));
  const findShown = (uri: string): WrappedResource | undefined => {
    const shown = addresses.find(uri);
    return shown && labels.has(shown.server) ? shown : findLabelled(uri);
  };
  /** Finds a skill by the label of its server, and an address that a labelled template has. */
  const findLabelled = (uri: string): WrappedResource | undefined => {
    const scheme = getKeptScheme(uri);
    if (only !== undefined || scheme === undefined || findListing(uri).length > 0) return undefined;
    const [, label = '', rest = ''] = /^[a-z]+:\/\/([^/]*)\/(.+)$/i.exec(uri) ?? [];
    const server = byLabel.get(label);
    if (server === undefined) return undefined;
    const own = `${scheme}://${rest}`;
    if (scheme === 'skill') return { server, uri: own };
    const isTemplate = [...labelled.values()].some(
      each => each.server === server && matchesTemplate(offerings.get(server)?.templates.get(each.template), own),
    );
    return isTemplate ? { server, uri: own } : undefined;
  };
  const findOwners = (uri: string): readonly string[] => {
    const shown = findShown(uri);
    if (shown) return [shown.server];
    if (only !== undefined) return [only];
    const held = unwrapUri(uri, byLabel);
    if (held !== undefined) return [held.server];
    const listed = findListing(uri);
    if (listed.length > 0) return listed;
    return filterServers(({ templates }) => [...templates.values()].some(each => matchesTemplate(each, uri)));
  };
  const findTemplateOwners = (text: string): readonly string[] => {
    const own = filterServers(({ templates }) => templates.has(text));
    const parsed = offerings.get(own[0] ?? '')?.templates.get(text);
    if (own.length !== 1 || parsed === undefined) return own;
    const rivals = filterServers(({ templates }) =>
      [...templates.values()].some(each => each && haveCommonUris(parsed, each)),
    );
    return [...new Set([...own, ...rivals])];
  };
  const isOnly = (found: readonly string[], server: string) => found.length === 1 && found[0] === server;
  /** Returns the candidates for the public address of a resource, the best one first. */
  function* listAddresses(server: string, uri: string): Generator<string> {
    const others = findListing(uri).filter(each => each !== server);
    if (only !== undefined || (getKeptScheme(uri) === 'ui' && others.length === 0)) yield uri;
    for (let attempt = 1; only === undefined; attempt++) {
      const address = addLabel(attempt === 1 ? getLabel(server) : `${getLabel(server)}-${attempt}`, uri);
      // Another server may list an address that looks like this one.
      if (findListing(address).length === 0) yield address;
    }
  }
  const resolveOwner = (text: string, found: readonly string[]): WrappedResource | undefined => {
    if (only !== undefined) return { server: only, uri: text };
    const [server, ...others] = found;
    return unwrapUri(text, byLabel) ?? (server === undefined || others.length > 0 ? undefined : { server, uri: text });
  };
  const toPublicText = (server: string, text: string, find: (text: string) => readonly string[]): string => {
    const own = getLabel(server);
    if (only === undefined && getKeptScheme(text) !== undefined) {
      if (find === findOwners) return addresses.show({ server, uri: text }, listAddresses(server, text));
      if (getKeptScheme(text) === 'ui' && isOnly(find(text), server)) return text;
      const template = addLabel(own, text);
      labelled.set(template, { server, template: text, label: own });
      return template;
    }
    if (only !== undefined && getKeptScheme(text) !== undefined && find === findOwners)
      return addresses.show({ server, uri: text }, [text]);
    const isPlain = unwrapUri(text, byLabel) === undefined && isOnly(find(text), server);
    return only !== undefined || isPlain ? text : wrapUri(own, text);
  };
  return {
    update(server, uris, templates) {
      getLabel(server);
      const routed = templates.slice(0, MAX_ROUTED_TEMPLATES);
      offerings.set(server, {
        uris: new Set(uris),
        templates: new Map(routed.map(each => [each, tryParseTemplate(each)])),
      });
    },
    declarePages(server, uris) {
      getLabel(server);
      pages.set(server, new Set(uris));
    },
    toPublic: (server, uri) => toPublicText(server, uri, findOwners),
    toPublicTemplate: (server, template) => toPublicText(server, template, findTemplateOwners),
    toServer: uri => findShown(uri) ?? resolveOwner(uri, findOwners(uri)),
    toServerTemplate: template => {
      const { server, template: uri } = labelled.get(template) ?? {};
      return server === undefined || uri === undefined
        ? resolveOwner(template, findTemplateOwners(template))
        : { server, uri };
    },
    findOwners,
  };
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
