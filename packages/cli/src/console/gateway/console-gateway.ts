import { isObject, stringifyJson } from '@tenon/base';
import type {
  ConfiguredServerState,
  FoundTool,
  GatewayServerView,
  GatewayToolsView,
  GatewayView,
  ToolSearchView,
} from '@tenon/console/api';
import { type Approvals, estimateTokens, type Host, type ServerSelection } from '@tenon/host';
import { type Client, connect } from 'tenon';
import { applyServerChange, type ControlledGateway, type ServerChange } from '../../gateway/control-socket.js';
import { readListing } from '../../tools/read-listing.js';
import type { CallerSignIns } from '../sign-in/caller-sign-ins.js';
import { type CallFigures, toFigures } from './call-figures.js';
import { type AuditParts, GatewayAudit } from './gateway-audit.js';
import { GatewayLock, type LockParts } from './gateway-lock.js';
import { GatewayPolicy, type PolicyParts } from './gateway-policy.js';
import type { GatewayTraffic } from './gateway-traffic.js';
import { runAsConsole } from './served-request.js';

/** Gateway to which a console belongs. */
export interface GatewayParts extends ControlledGateway {
  readonly host: ControlledGateway['host'] & Pick<Host, 'approvals' | 'toServer' | 'getServers' | 'getToolName'>;
  readonly figures: CallFigures;
  /** Messages with callers and servers. Absent if they are not observed. */
  readonly traffic?: GatewayTraffic | undefined;
  /** Absent if the decisions of the gateway are not observed. */
  readonly policy?: PolicyParts | undefined;
  /** Absent if the audit logs are not shown. */
  readonly audit?: AuditParts | undefined;
  /** Absent if the lock is not shown. */
  readonly lock?: LockParts | undefined;
  /** Sign-ins of the callers. Absent if callers do not sign in. */
  readonly callers?: CallerSignIns | undefined;
}

/** Maximum length of a description that the page gets. */
const MAX_DESCRIPTION = 1000;
/** A budget that no tool fits into, so that a caller has to search. */
const NO_TOKENS = 1;

/** Reads and changes the gateway to which a console belongs, as `tenon gateway status` does. */
export class ConsoleGateway {
  readonly #parts: GatewayParts;
  /** Policy of the gateway. */
  readonly policy: GatewayPolicy | undefined;
  /** Audit logs of the gateway. */
  readonly audit: GatewayAudit | undefined;
  /** Lock of the gateway. */
  readonly lock: GatewayLock | undefined;

  constructor(parts: GatewayParts) {
    this.#parts = parts;
    this.policy = parts.policy && new GatewayPolicy(parts.policy);
    this.audit = parts.audit && new GatewayAudit(parts.audit);
    this.lock = parts.lock && new GatewayLock(parts.lock);
  }

  read(): GatewayView {
    const { files, endpoints, stdio, servers } = this.#parts.getStatus();
    return { files, endpoints: endpoints.map(({ url }) => url), stdio, servers: servers.map(this.#describe) };
  }

  async change(name: string, change: ServerChange): Promise<GatewayServerView> {
    return this.#describe(await applyServerChange(this.#parts, name, change));
  }

  /** Lists the tools that the gateway offers of a server, with their tokens, whatever its budget is. */
  listTools(name: string): Promise<GatewayToolsView> {
    return this.#connect({ name, servers: [name], budget: Number.MAX_SAFE_INTEGER }, async client => {
      const { signal } = new AbortController();
      // Calls are counted by the names that tools have at their servers.
      const figures = new Map(
        [...this.#parts.figures.readTools(name)].map(([tool, counted]) => [this.getToolName(name, tool), counted]),
      );
      const { tools, tokens } = await readListing({ client, protocolVersion: client.server.protocolVersion, signal });
      return {
        tokens,
        tools: tools.map(({ name: tool, description = '', tokens: own }) => ({
          name: tool,
          description: description.slice(0, MAX_DESCRIPTION),
          tokens: own,
          figures: figures.get(tool) ?? toFigures(),
        })),
      };
    });
  }

  /** Returns the name that the gateway gives to a tool of a server. `undefined` for a server that it does not have. */
  getToolName(server: string, tool: string): string | undefined {
    return this.#parts.host.getToolName(server, tool);
  }

  /** Sign-ins of the callers of the gateway. */
  get callers(): CallerSignIns | undefined {
    return this.#parts.callers;
  }

  /** Approvals of the callers of the gateway. */
  get approvals(): Approvals {
    return this.#parts.host.approvals;
  }

  /** Searches all tools as a model does, also if the budget of the gateway has room for their definitions. */
  search(query: string): Promise<ToolSearchView> {
    return this.#connect({ name: 'tenon-console', budget: NO_TOKENS }, async client => {
      const search = await findSearch(client);
      if (search === undefined) return { tool: null, tools: [], tokens: 0 };
      const { structuredContent = {} } = await client.callTool(search, { query });
      const found = isObject(structuredContent) ? structuredContent.tools : [];
      return {
        tool: search,
        tools: Array.isArray(found)
          ? found.filter(isFoundTool).map(each => ({ ...each, tokens: estimateTokens(stringifyJson(each)) }))
          : [],
        tokens: estimateTokens(stringifyJson(structuredContent)),
      };
    });
  }

  /** Connects as a caller without sign-in, to which the policy of the gateway applies. */
  async #connect<R>(selection: ServerSelection, use: (client: Client) => Promise<R>): Promise<R> {
    const client = await runAsConsole(undefined, () =>
      connect(this.#parts.host.toServer(selection), { name: 'tenon-console' }),
    );
    try {
      return await use(client);
    } finally {
      await client.close();
    }
  }

  readonly #describe = ({ lastError, ...state }: ConfiguredServerState): GatewayServerView => ({
    ...state,
    lastError: lastError && { code: lastError.code, message: lastError.message, time: lastError.time },
    figures: this.#parts.figures.read(state.name),
  });
}

const isFoundTool = (value: unknown): value is Omit<FoundTool, 'tokens'> =>
  isObject(value) && typeof value.name === 'string' && typeof value.server === 'string';

async function findSearch(client: Client): Promise<string | undefined> {
  for await (const { name } of client.listTools()) if (/^search_tools(?:_\d+)?$/.test(name)) return name;
  return undefined;
}
