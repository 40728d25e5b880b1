import { createTransportPair } from 'tenon';
import { serveHttp } from 'tenon/node';
import type { JsonObject } from '../../packages/base/src/json/json-object.js';
import type { ListeningTransport } from '../../packages/tenon/src/client/connection/endpoint.js';
import { createClientEndpoint } from '../../packages/tenon/src/client/connection/http-endpoint.js';
import { createNameHeader } from '../../packages/tenon/src/client/connection/request-headers.js';
import { openTaskClient, type TaskTestClient } from '../../packages/tenon/src/extensions/tasks/fixtures/task-client.js';
import { createNodeRequester } from '../../packages/tenon/src/runtimes/node/http/http-requester.js';
import { spawnServer } from '../../packages/tenon/src/runtimes/node/processes/spawn-server.js';
import { createStdioTransport } from '../../packages/tenon/src/transports/stdio/client.js';
import type { ProtocolVersion } from '../support/official-schema.js';
import { createWire, recordRequester, recordSpawn, type Wire } from '../versions/wire.js';
import { createTaskServer } from './task-server.js';

export interface TaskConnection {
  readonly caller: TaskTestClient;
  readonly wire: Wire;
  readonly errors: unknown[];
  readonly url: string;
  close(): Promise<void>;
}

export const transportKinds = ['memory', 'stdio', 'http'] as const;

/** A client of the works; all that crosses is judged. `program` is theirs for a process of its own. */
export async function openConnection(
  kind: (typeof transportKinds)[number],
  version: ProtocolVersion,
  program: string,
): Promise<TaskConnection> {
  const wire = createWire(version);
  const errors: unknown[] = [];
  const works = createTaskServer(error => errors.push(error));
  const http = kind === 'http' ? await serveHttp(works, { port: 0 }) : undefined;
  const url = http?.url ?? '';
  const open = async () => {
    if (kind === 'stdio') {
      const target = { command: process.execPath, args: [program], stderr: 'inherit' as const };
      return createStdioTransport(target, recordSpawn(spawnServer, wire));
    }
    if (kind === 'http')
      return createClientEndpoint({ url, transport: 'http' }, recordRequester(createNodeRequester(), wire)).open();
    const pair = createTransportPair((from, message) => wire.crosses(from, message));
    await works.connect(pair.server);
    return pair.client;
  };
  const channel = await open();
  const stateless = version === '2026-07-28';
  const envelope = (method: string, params: JsonObject) => ({
    ...(stateless ? { stateless } : {}),
    headers: {
      ...(method === 'initialize' ? {} : { 'MCP-Protocol-Version': version }),
      ...(stateless ? { 'Mcp-Method': method, ...createNameHeader(method, params) } : {}),
    },
  });
  const caller = await openTaskClient(channel, { version, envelope });
  if (!stateless && 'listen' in channel) (channel as ListeningTransport).listen();
  return {
    ...{ caller, wire, errors, url },
    async close() {
      await caller.close();
      works.close();
      await http?.close({ timeout: 0 });
    },
  };
}
