import { createTokenReport } from '@tenon/host';
import type { Client, Prompt, Resource, ResourceTemplate, Tool } from 'tenon';
import { collectAll } from '../collect-all.js';
import { formatToolSignature } from './signature.js';

/** Tool as `--json` prints it: the definition of the server, its signature, and its number of tokens. */
interface ListedTool extends Tool {
  readonly signature: string;
  readonly tokens: number;
}

/** Inventory of a server. */
export interface ServerListing {
  readonly server: { readonly name: string; readonly version: string; readonly title?: string | undefined } | null;
  readonly protocolVersion: string;
  readonly instructions: string | null;
  /** Estimated number of tokens of all tools in the context of a model. */
  readonly tokens: number;
  readonly tools: readonly ListedTool[];
  readonly resources: readonly Resource[];
  readonly resourceTemplates: readonly ResourceTemplate[];
  readonly prompts: readonly Prompt[];
}

/** Connection whose server is listed. */
interface ListedConnection {
  readonly client: Client;
  readonly protocolVersion: string;
  readonly signal: AbortSignal;
}

/** Reads all lists of a server. A list that the server does not declare is empty. */
export async function readListing({ client, protocolVersion, signal }: ListedConnection): Promise<ServerListing> {
  const { capabilities, info, instructions } = client.server;
  const [tools, resources, resourceTemplates, prompts] = await Promise.all([
    capabilities.tools ? collectAll(client.listTools({ signal })) : [],
    capabilities.resources ? collectAll(client.listResources({ signal })) : [],
    capabilities.resources ? collectAll(client.listResourceTemplates({ signal })) : [],
    capabilities.prompts ? collectAll(client.listPrompts({ signal })) : [],
  ]);
  const { total, servers } = createTokenReport([{ server: '', tools }]);
  const costs = servers[0]?.tools ?? [];
  return {
    server: info ? { name: info.name, version: info.version, ...(info.title ? { title: info.title } : {}) } : null,
    protocolVersion,
    instructions: instructions ?? null,
    tokens: total,
    tools: tools.map((tool, index) => ({
      ...tool,
      signature: formatToolSignature(tool),
      tokens: costs[index]?.tokens ?? 0,
    })),
    resources,
    resourceTemplates,
    prompts,
  };
}
