import { createPair } from 'tenon';
import { serveHttp } from 'tenon/node';
import type { Listening } from '../../packages/tenon/src/client/endpoint.js';
import { nameHeader } from '../../packages/tenon/src/client/headers.js';
import { httpEndpoint } from '../../packages/tenon/src/client/roads.js';
import { type Caller, callerOn } from '../../packages/tenon/src/extensions/tasks/fixtures/caller.js';
import type { JsonObject } from '../../packages/tenon/src/jsonrpc/message.js';
import { spawnServer } from '../../packages/tenon/src/runtimes/node/child-process.js';
import { nodeRequester } from '../../packages/tenon/src/runtimes/node/http-client.js';
import { openStdio } from '../../packages/tenon/src/transports/stdio/client.js';
import { createWire, tappedRequester, tappedSpawn, type Wire } from '../revisions/wire.js';
import type { Revision } from '../support/official-schema.js';
import { createWorks } from './works.js';

export interface Road {
  readonly caller: Caller;
  readonly wire: Wire;
  readonly problems: unknown[];
  readonly url: string;
  close(): Promise<void>;
}

export const roads = ['memory', 'stdio', 'http'] as const;

/** A client of the works; all that crosses is judged. `program` is theirs for a process of its own. */
export async function openRoad(kind: (typeof roads)[number], revision: Revision, program: string): Promise<Road> {
  const wire = createWire(revision);
  const problems: unknown[] = [];
  const works = createWorks(problem => problems.push(problem));
  const http = kind === 'http' ? await serveHttp(works, { port: 0 }) : undefined;
  const url = http?.url ?? '';
  const open = async () => {
    if (kind === 'stdio') {
      const target = { command: process.execPath, args: [program], stderr: 'inherit' as const };
      return openStdio(target, tappedSpawn(spawnServer, wire));
    }
    if (kind === 'http') return httpEndpoint({ url, transport: 'http' }, tappedRequester(nodeRequester(), wire)).open();
    const pair = createPair((from, message) => wire.crosses(from, message));
    await works.connect(pair.server);
    return pair.client;
  };
  const channel = await open();
  const stateless = revision === '2026-07-28';
  const envelope = (method: string, params: JsonObject) => ({
    ...(stateless ? { stateless } : {}),
    headers: {
      ...(method === 'initialize' ? {} : { 'MCP-Protocol-Version': revision }),
      ...(stateless ? { 'Mcp-Method': method, ...nameHeader(method, params) } : {}),
    },
  });
  const caller = await callerOn(channel, { revision, envelope });
  if (!stateless && 'listen' in channel) (channel as Listening).listen();
  return {
    ...{ caller, wire, problems, url },
    async close() {
      await caller.hangUp();
      works.close();
      await http?.close({ deadline: 0 });
    },
  };
}
