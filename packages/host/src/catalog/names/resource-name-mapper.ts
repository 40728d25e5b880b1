import { TenonError } from '@tenon/base';
import { parseTemplate, type Template } from 'tenon/host-internals';
import { createLabels } from './label.js';
import { haveCommonUris } from './template-overlap.js';
import { unwrapUri, type WrappedResource, wrapUri } from './wrapped-uri.js';

/** Maximum number of templates of one server that are used to route URIs. Further templates are only listed. */
const MAX_ROUTED_TEMPLATES = 1_000;

export interface ResourceNameMapperOptions {
  /** Names of all servers, in the order of the configuration. */
  readonly servers: readonly string[];
}

/**
 * Maps the URIs of many servers to public URIs, and back.
 *
 * A URI stays unchanged while its owner is unambiguous. Otherwise it is wrapped as `tenon:LABEL/URI`, which contains
 * the server and the original URI. With one server, no URI is wrapped.
 */
export interface ResourceNameMapper {
  /** Updates the URIs and templates of a server. */
  update(server: string, uris: readonly string[], templates: readonly string[]): void;
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
export function createResourceNameMapper({ servers }: ResourceNameMapperOptions): ResourceNameMapper {
  const byLabel = createLabels(servers);
  const labels = new Map([...byLabel].map(([getLabel, server]) => [server, getLabel]));
  const offerings = new Map<string, ServerResources>([...labels.keys()].map(server => [server, NO_RESOURCES]));
  const ordered = [...new Set(servers)];
  const only = ordered.length === 1 ? ordered[0] : undefined;
  const getLabel = (server: string): string => labels.get(server) ?? throwUnknownServer(server);
  const filterServers = (predicate: (offering: ServerResources) => boolean) =>
    ordered.filter(each => predicate(offerings.get(each) ?? NO_RESOURCES));

  const findOwners = (uri: string): readonly string[] => {
    if (only !== undefined) return [only];
    const held = unwrapUri(uri, byLabel);
    if (held !== undefined) return [held.server];
    const listed = filterServers(({ uris }) => uris.has(uri));
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
  const resolveOwner = (text: string, found: readonly string[]): WrappedResource | undefined => {
    if (only !== undefined) return { server: only, uri: text };
    const [server, ...others] = found;
    return unwrapUri(text, byLabel) ?? (server === undefined || others.length > 0 ? undefined : { server, uri: text });
  };
  const toPublicText = (server: string, text: string, find: (text: string) => readonly string[]): string => {
    const own = getLabel(server);
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
    toPublic: (server, uri) => toPublicText(server, uri, findOwners),
    toPublicTemplate: (server, template) => toPublicText(server, template, findTemplateOwners),
    toServer: uri => resolveOwner(uri, findOwners(uri)),
    toServerTemplate: template => resolveOwner(template, findTemplateOwners(template)),
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
