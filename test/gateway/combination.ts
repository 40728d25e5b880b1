import { type Client, createTransportPair, type Transport } from 'tenon';
import { serveHttp } from 'tenon/node';
import { connectTo } from '../../packages/tenon/src/client/connect.js';
import type { ServerEndpoint } from '../../packages/tenon/src/client/connection/endpoint.js';
import { createTransportEndpoint } from '../../packages/tenon/src/client/connection/endpoint.js';
import { createClientEndpoint } from '../../packages/tenon/src/client/connection/http-endpoint.js';
import { createNodeRequester } from '../../packages/tenon/src/runtimes/node/http/http-requester.js';
import { spawnServer } from '../../packages/tenon/src/runtimes/node/processes/spawn-server.js';
import { createStdioTransport } from '../../packages/tenon/src/transports/stdio/client.js';
import { bundle } from '../support/bundle.js';
import { recordRequester, recordSpawn, type Wire } from '../versions/wire.js';
import { createRecordedAnswers, type RecordedRequest } from './answers.js';
import { createFixture, type Fixture } from './fixture-server.js';
import type { Pair } from './pair.js';
import { startRecordingProxy } from './recording-proxy.js';
import type { BackendTarget, GatewayTarget, StartGateway } from './start-gateway.js';
import { startStdioRelay } from './stdio-relay.js';
import { createWires, type Wires } from './wire.js';

const first = '2024-11-05';

/** A client that is connected to a server, and all that crosses on both sides of what stands between. */
export interface Combination {
  readonly pair: Pair;
  /** Unlike that of any other. */
  readonly tag: string;
  readonly client: Client<Fixture>;
  readonly request: RecordedRequest;
  readonly clientSide: Wires;
  readonly serverSide: Wires;
  close(): Promise<void>;
}

export async function open(pair: Pair, inFront: StartGateway): Promise<Combination> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const each of closing.splice(0).reverse()) await each();
  };
  try {
    const serverSide = createWires(pair.server);
    const clientSide = createWires(pair.client);
    const behind = await startServer(pair, serverSide, closing);
    const front = await inFront(behind, pair.mode);
    closing.push(() => front.close());
    const { request, options } = createRecordedAnswers();
    const endpoint = createEndpoint(front.target, pair, clientSide);
    const client = (await connectTo<Fixture>(endpoint, {
      protocolVersion: pair.client,
      ...options,
    })) as Client<Fixture>;
    closing.push(() => client.close());
    const tag = `${pair.client}-${pair.server}-${pair.mode}-${++opened}`;
    return { pair, tag, client, request, clientSide, serverSide, close };
  } catch (error) {
    await close();
    throw error;
  }
}

let opened = 0;

/** The fixture, served at the protocol version; what crosses is read along before it is reached. */
async function startServer(
  { server, mode }: Pair,
  wires: Wires,
  closing: (() => Promise<unknown>)[],
): Promise<BackendTarget> {
  if (mode === 'stdio') {
    const relay = await startStdioRelay(bundle('test/gateway/fixture-program.ts'), [server], wires);
    closing.push(() => relay.close());
    return relay.target;
  }
  const fixture = createFixture([server]);
  closing.push(async () => fixture.close());
  if (mode === 'memory') {
    return async () => {
      const wire = wires.open();
      const pair = createTransportPair((from, message) => wire.crosses(from, message));
      await fixture.connect(pair.server);
      return pair.client;
    };
  }
  const http = await serveHttp(fixture, { port: 0 });
  closing.push(() => http.close({ timeout: 0 }));
  const proxy = await startRecordingProxy(new URL(http.url).origin, wires);
  closing.push(() => proxy.close());
  return server === first
    ? { url: proxy.at(http.sseUrl ?? ''), transport: 'http-sse' }
    : { url: proxy.at(http.url), transport: 'http' };
}

async function recordTransport(target: () => Promise<Transport>, wires: Wires): Promise<Transport> {
  const [wire, channel] = [wires.open(), await target()];
  return {
    peer: channel.peer,
    close: () => channel.close(),
    open: receiver =>
      channel.open({
        onParseError: error => receiver.onParseError(error),
        onResponseLost: (id, error) => receiver.onResponseLost(id, error),
        onClose: error => receiver.onClose(error),
        onMessage(value, envelope) {
          wire.crosses('server', value);
          receiver.onMessage(value, envelope);
        },
      }),
    send(message, options) {
      wire.crosses('client', message);
      return channel.send(message, options);
    },
  };
}

function createEndpoint(target: GatewayTarget, { client }: Pair, wires: Wires): ServerEndpoint {
  if (typeof target === 'function') return createTransportEndpoint(() => recordTransport(target, wires));
  // All that the taps use of a wire.
  const wire = wires.open() as Wire;
  if ('command' in target) {
    const options = { ...target, stderr: 'inherit' as const };
    return { kind: 'stdio', open: () => createStdioTransport(options, recordSpawn(spawnServer, wire)) };
  }
  const two = client === first;
  const address = { url: two ? target.sseUrl : target.url, transport: two ? ('http-sse' as const) : ('http' as const) };
  return createClientEndpoint(address, recordRequester(createNodeRequester(), wire));
}
