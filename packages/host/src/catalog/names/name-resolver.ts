import {
  checkArray,
  checkObject,
  checkString,
  type JsonObject,
  requireArgument,
  requireKnownOptions,
  toJsonObject,
} from '@tenon/base';
import type { ServerEntry } from '../../config/server-entry.js';
import { compileToolFilter } from '../../security/guard/entry-matching.js';
import { chooseMetaToolNames } from '../budget/collapse-tools.js';
import { parseCallArguments } from '../budget/meta-tool-arguments.js';
import { createNameMapper, findByPrefix, type NameMapper, type Prefix } from './name-mapper.js';
import { createResourceNameMapper } from './resource-name-mapper.js';
import { createToolNames, withToolNames } from './tool-names.js';

/** Names of the entries of one server, as the server has them. */
export interface EntryNames {
  /** Names of the tools. */
  readonly tools: readonly string[];
  /** Names of the prompts. */
  readonly prompts: readonly string[];
}

/** Options of `createNameResolver`. */
export interface NameResolverOptions {
  /** Servers of the host. */
  readonly servers: readonly Pick<ServerEntry, 'name' | 'tools'>[];
  /**
   * Prefix of public names.
   * @default `always`
   */
  readonly prefix?: Prefix | undefined;
  /**
   * Known names, by server. They are necessary to resolve names with a digest, and all names without a prefix.
   * @default none
   */
  readonly known?: ReadonlyMap<string, EntryNames> | undefined;
  /**
   * True if callers call tools through the tool `call_tool`, because of the host option `budget`.
   * @default `false`
   */
  readonly hasBudget?: boolean | undefined;
}

/** Tool of a call, with its arguments. */
export interface PublicToolCall {
  /** Public name of the tool. */
  readonly name: string;
  readonly arguments: JsonObject;
}

/** Entry of a server that has a public name of a host. */
export interface ResolvedName {
  /** Name of the server in the host. */
  readonly server: string;
  /** Name at the server, or its public part if `isKnown` is false. */
  readonly name: string;
  /** False if the public name has a digest, and no known name has the same one. */
  readonly isKnown: boolean;
  /** True if the configuration of the server does not offer the tool. */
  readonly isExcluded: boolean;
}

/** Resolves the public names of a host without its servers. `undefined`: the name belongs to no server of the host. */
export interface NameResolver {
  /** Returns the tool with a public name. */
  resolveTool(publicName: string): ResolvedName | undefined;
  /** Returns the prompt with a public name. */
  resolvePrompt(publicName: string): ResolvedName | undefined;
  /** Returns the resource with a public URI. */
  resolveResource(uri: string): ResolvedName | undefined;
  /**
   * Returns the call that a host makes for the params of `tools/call`: with `hasBudget`, the call inside `call_tool`.
   * `undefined`: the host itself answers, and no server is called.
   */
  unwrapToolCall(params: JsonObject): PublicToolCall | undefined;
}

/** Creates a resolver with the names that a host with these servers has. */
export function createNameResolver(options: NameResolverOptions): NameResolver {
  requireKnownOptions('createNameResolver', options, { servers: true, prefix: true, known: true, hasBudget: true });
  requireArgument('`servers` of createNameResolver', options.servers, checkArray(checkObject({ name: checkString })));
  const { servers: entries, prefix = 'always', known = new Map(), hasBudget = false } = options;
  const servers = entries.map(({ name }) => name);
  const names = new Map(
    entries.flatMap(({ name, tools }) => (tools?.overrides ? [[name, createToolNames(tools.overrides)]] : [])),
  );
  const filters = new Map(entries.map(({ name, tools }) => [name, compileToolFilter(tools)]));
  const plain = createNameMapper({ servers, prefix });
  const tools = withToolNames(createNameMapper({ servers, prefix }), server => names.get(server));
  const prompts = createNameMapper({ servers, prefix });
  const resources = createResourceNameMapper({ servers });
  const publicTools: string[] = [];
  for (const { name, tools: settings } of entries) {
    const own = known.get(name);
    const toolNames = [...new Set([...(own?.tools ?? []), ...Object.keys(settings?.overrides ?? {})])];
    tools.update(name, toolNames);
    prompts.update(name, own?.prompts ?? []);
    publicTools.push(...toolNames.map(each => tools.toPublic(name, each)));
  }
  const resolve = (mapper: NameMapper, publicName: string): Omit<ResolvedName, 'isExcluded'> | undefined => {
    const found = mapper.toServer(publicName) ?? plain.toServer(publicName);
    if (found) return { ...found, isKnown: true };
    const server = findByPrefix(servers, publicName);
    return server === undefined ? undefined : { server, name: publicName, isKnown: false };
  };
  const meta = hasBudget ? chooseMetaToolNames(publicTools) : undefined;
  return {
    unwrapToolCall({ name, arguments: args }) {
      if (typeof name !== 'string' || name === meta?.search || name === meta?.describe) return undefined;
      if (name !== meta?.call) return { name, arguments: toJsonObject(args) };
      const call = parseCallArguments(args);
      return 'issue' in call ? undefined : call;
    },
    resolveTool(publicName) {
      const found = resolve(tools, publicName);
      return found && { ...found, isExcluded: found.isKnown && filters.get(found.server)?.(found.name) === false };
    },
    resolvePrompt(publicName) {
      const found = resolve(prompts, publicName);
      return found && { ...found, isExcluded: false };
    },
    resolveResource(uri) {
      const found = resources.toServer(uri);
      return found && { server: found.server, name: found.uri, isKnown: true, isExcluded: false };
    },
  };
}
