import { type Client, type ClientOptions, createTransportPair } from 'tenon';
import { serveHttp } from 'tenon/node';
import { connectTo } from '../../packages/tenon/src/client/connect.js';
import type { ServerEndpoint } from '../../packages/tenon/src/client/connection/endpoint.js';
import { createClientEndpoint } from '../../packages/tenon/src/client/connection/http-endpoint.js';
import { createNodeRequester } from '../../packages/tenon/src/runtimes/node/http/http-requester.js';
import { spawnServer } from '../../packages/tenon/src/runtimes/node/processes/spawn-server.js';
import type { Requester } from '../../packages/tenon/src/transports/http/client/requester.js';
import { createStdioTransport } from '../../packages/tenon/src/transports/stdio/client.js';
import { bundle } from '../support/bundle.js';
import { hasHandshake, type MatrixCase, matrixCases } from '../versions/matrix.js';
import { createWire, recordRequester, recordSpawn, type Wire } from '../versions/wire.js';
import { createEstate, createTestModes, type TestModeOptions, type TestModes } from './server.js';

/** How a call is made and how its handler waits. */
type HandlerMode = 'by request' | 'held' | 'replayed' | 'replayed by another replica' | 'as a task';

export interface Row extends MatrixCase {
  readonly mode: HandlerMode;
}

/** Every transport, with every protocol version that it has, in every manner that the two have. */
export const rows: readonly Row[] = matrixCases.flatMap(variant =>
  listModes(variant).map(mode => ({ ...variant, mode })),
);

function listModes(variant: MatrixCase): HandlerMode[] {
  if (hasHandshake(variant)) return variant.version === '2025-11-25' ? ['by request', 'as a task'] : ['by request'];
  const elsewhere: HandlerMode[] = variant.transport === 'http' ? ['replayed by another replica'] : [];
  return ['held', 'replayed', ...elsewhere, 'as a task'];
}

export interface Opened {
  readonly client: Client<TestModes>;
  readonly wire: Wire;
  close(): Promise<void>;
}

/** A server of its own behind the transport, and a client that speaks the protocol version with it. */
export async function open(
  { transport, version: protocolVersion, mode }: Row,
  answers: ClientOptions,
): Promise<Opened> {
  const options: TestModeOptions = { forgets: mode === 'replayed' };
  const wire = createWire(protocolVersion);
  const overHttp = transport === 'http' || transport === 'http-sse';
  const estate = createEstate();
  const many = mode === 'replayed by another replica' ? 2 : 1;
  const serve = () => serveHttp(createTestModes(options, estate), { port: 0 });
  const served = overHttp ? await Promise.all(Array.from({ length: many }, serve)) : [];
  const urls = served.map(({ url, sseUrl }) => (transport === 'http' ? url : (sseUrl ?? '')));
  const endpoint = overHttp
    ? createClientEndpoint(
        { url: urls[0] ?? '', transport },
        recordRequester(inTurn(urls, createNodeRequester()), wire),
      )
    : inOrBeside(transport === 'stdio', options, wire);
  const client = await connectTo<TestModes>(endpoint, { ...answers, protocolVersion, tasks: mode === 'as a task' });
  return {
    client,
    wire,
    async close() {
      await client.close();
      for (const each of served) await each.close({ timeout: 0 });
    },
  };
}

/** Sends each request to the next of them. */
function inTurn(urls: readonly string[], requester: Requester): Requester {
  if (urls.length === 1) return requester;
  let at = 0;
  return request => requester({ ...request, url: urls[at++ % urls.length] ?? '' });
}

function inOrBeside(beside: boolean, options: TestModeOptions, wire: Wire): ServerEndpoint {
  if (!beside) return { kind: 'memory', open: () => paired(options, wire) };
  const target = {
    command: process.execPath,
    args: [bundle('test/every-transport/stdio-server.ts'), JSON.stringify(options)],
    stderr: 'inherit' as const,
  };
  return { kind: 'stdio', open: () => createStdioTransport(target, recordSpawn(spawnServer, wire)) };
}

async function paired(options: TestModeOptions, wire: Wire) {
  const pair = createTransportPair((from, message) => wire.crosses(from, message));
  await createTestModes(options, createEstate()).connect(pair.server);
  return pair.client;
}
