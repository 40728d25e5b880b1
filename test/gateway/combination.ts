import { type Channel, type Client, createPair } from 'tenon';
import { serveHttp } from 'tenon/node';
import { byChannel, connectTo } from '../../packages/tenon/src/client/connect.js';
import type { Endpoint } from '../../packages/tenon/src/client/endpoint.js';
import { httpEndpoint } from '../../packages/tenon/src/client/roads.js';
import { spawnServer } from '../../packages/tenon/src/runtimes/node/child-process.js';
import { nodeRequester } from '../../packages/tenon/src/runtimes/node/http-client.js';
import { openStdio } from '../../packages/tenon/src/transports/stdio/client.js';
import { bundle } from '../support/bundle.js';
import { tappedRequester, tappedSpawn, type Wire } from '../revisions/wire.js';
import { type Asked, answersOf } from './answers.js';
import { createFixture, type Fixture } from './fixture-server.js';
import type { Behind, InFront, PutInFront } from './in-front.js';
import type { Pair } from './pair.js';
import { recordingProxy } from './recording-proxy.js';
import { stdioRelay } from './stdio-relay.js';
import { createWires, type Wires } from './wire.js';

const first = '2024-11-05';

/** A client that is connected to a server, and all that crosses on both sides of what stands between. */
export interface Combination {
  readonly pair: Pair;
  /** Unlike that of any other. */
  readonly tag: string;
  readonly client: Client<Fixture>;
  readonly asked: Asked;
  readonly clientSide: Wires;
  readonly serverSide: Wires;
  close(): Promise<void>;
}

export async function open(pair: Pair, inFront: PutInFront): Promise<Combination> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const each of closing.splice(0).reverse()) await each();
  };
  try {
    const serverSide = createWires(pair.server);
    const clientSide = createWires(pair.client);
    const behind = await backOf(pair, serverSide, closing);
    const front = await inFront(behind, pair.way);
    closing.push(() => front.close());
    const { asked, options } = answersOf();
    const endpoint = endpointOf(front.target, pair, clientSide);
    const client = (await connectTo<Fixture>(endpoint, { revision: pair.client, ...options })) as Client<Fixture>;
    closing.push(() => client.close());
    const tag = `${pair.client}-${pair.server}-${pair.way}-${++opened}`;
    return { pair, tag, client, asked, clientSide, serverSide, close };
  } catch (error) {
    await close();
    throw error;
  }
}

let opened = 0;

/** The fixture, served at the revision; what crosses is read along before it is reached. */
async function backOf({ server, way }: Pair, wires: Wires, closing: (() => Promise<unknown>)[]): Promise<Behind> {
  if (way === 'stdio') {
    const relay = await stdioRelay(bundle('test/gateway/fixture-program.ts'), [server], wires);
    closing.push(() => relay.close());
    return relay.target;
  }
  const fixture = createFixture([server]);
  closing.push(async () => fixture.close());
  if (way === 'memory') {
    return async () => {
      const wire = wires.open();
      const pair = createPair((from, message) => wire.crosses(from, message));
      await fixture.connect(pair.server);
      return pair.client;
    };
  }
  const http = await serveHttp(fixture, { port: 0 });
  closing.push(() => http.close({ deadline: 0 }));
  const proxy = await recordingProxy(new URL(http.url).origin, wires);
  closing.push(() => proxy.close());
  return server === first
    ? { url: proxy.at(http.sseUrl ?? ''), transport: 'http-sse' }
    : { url: proxy.at(http.url), transport: 'http' };
}

async function readAlong(target: () => Promise<Channel>, wires: Wires): Promise<Channel> {
  const [wire, channel] = [wires.open(), await target()];
  return {
    peer: channel.peer,
    close: () => channel.close(),
    open: receiver =>
      channel.open({
        unreadable: error => receiver.unreadable(error),
        lost: (id, error) => receiver.lost(id, error),
        closed: error => receiver.closed(error),
        message(value, envelope) {
          wire.crosses('server', value);
          receiver.message(value, envelope);
        },
      }),
    send(message, options) {
      wire.crosses('client', message);
      return channel.send(message, options);
    },
  };
}

function endpointOf(target: InFront, { client }: Pair, wires: Wires): Endpoint {
  if (typeof target === 'function') return byChannel(() => readAlong(target, wires));
  // All that the taps use of a wire.
  const wire = wires.open() as Wire;
  if ('command' in target) {
    const options = { ...target, stderr: 'inherit' as const };
    return { kind: 'stdio', open: () => openStdio(options, tappedSpawn(spawnServer, wire)) };
  }
  const two = client === first;
  const address = { url: two ? target.sseUrl : target.url, transport: two ? ('http-sse' as const) : ('http' as const) };
  return httpEndpoint(address, tappedRequester(nodeRequester(), wire));
}
