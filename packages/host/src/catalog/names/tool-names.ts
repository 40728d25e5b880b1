import {
  addDefaults,
  changeInputSchema,
  INVALID_PARAMS,
  type JsonObject,
  listHiddenArguments,
  rpcError,
} from '@tenon/base';
import type { Tool } from 'tenon';
import type { ToolOverride } from '../../config/server-entry.js';
import type { NameMapper } from './name-mapper.js';

/** Names, texts and arguments of the tools of one server, as its configuration changes them. */
export interface ToolNames {
  /** Returns the configured name of a tool. `undefined` if another tool has got the name. */
  toConfigured(name: string): string | undefined;
  /** Returns the name at the server. `undefined` if no tool has the configured name. */
  toOriginal(configured: string): string | undefined;
  /** Replaces the title, the description and the input schema. The name stays. */
  changeTool(tool: Tool): Tool;
  /**
   * Returns the arguments of a call for the server.
   * @throws TenonError -32602 for a hidden argument.
   */
  changeArguments(name: string, args: JsonObject): JsonObject;
}

/** Creates the names of a server's tools. A new name wins over a tool that has it at the server. */
export function createToolNames(overrides: Readonly<Record<string, ToolOverride>>): ToolNames {
  const byName = new Map(Object.entries(overrides));
  const configured = new Map([...byName].flatMap(([tool, { name }]) => (name === undefined ? [] : [[tool, name]])));
  const original = new Map([...configured].map(([tool, name]) => [name, tool]));
  return {
    toConfigured: name => configured.get(name) ?? (original.has(name) ? undefined : name),
    toOriginal: name => original.get(name) ?? (configured.has(name) ? undefined : name),
    changeTool(tool) {
      const override = byName.get(tool.name);
      if (override === undefined) return tool;
      const { name: _, defaults, hide, ...texts } = override;
      const changed = Object.keys(texts).length === 0 ? tool : { ...tool, ...texts };
      if (defaults === undefined && hide === undefined) return changed;
      return { ...changed, inputSchema: changeInputSchema(tool.inputSchema, override) as Tool['inputSchema'] };
    },
    changeArguments(name, args) {
      const override = byName.get(name) ?? {};
      const [hidden] = listHiddenArguments(args, override);
      if (hidden !== undefined) throw rpcError(INVALID_PARAMS, `Invalid arguments: at /${hidden}: unknown argument`);
      return override.defaults === undefined ? args : addDefaults(args, override);
    },
  };
}

/** Maps the configured names of tools in place of those of the servers. */
export function withToolNames(mapper: NameMapper, getToolNames: (server: string) => ToolNames | undefined): NameMapper {
  const toServer: NameMapper['toServer'] = publicName => {
    const found = mapper.toServer(publicName);
    if (found === undefined) return undefined;
    const names = getToolNames(found.server);
    const name = names ? names.toOriginal(found.name) : found.name;
    return name === undefined ? undefined : { server: found.server, name };
  };
  const toConfigured = (server: string, name: string) => getToolNames(server)?.toConfigured(name) ?? name;
  return {
    update: (server, names) =>
      mapper.update(
        server,
        names.map(name => toConfigured(server, name)),
      ),
    toPublic: (server, name) => mapper.toPublic(server, toConfigured(server, name)),
    toServer,
    hasName: publicName => toServer(publicName) !== undefined,
  };
}
