import { type Client, type ClientOptions, createTransportPair } from 'tenon';
import { type HttpServer, serveHttp } from 'tenon/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import { connectTo } from '../../packages/tenon/src/client/connect.js';
import type { ServerEndpoint } from '../../packages/tenon/src/client/connection/endpoint.js';
import { createClientEndpoint } from '../../packages/tenon/src/client/connection/http-endpoint.js';
import { createNodeRequester } from '../../packages/tenon/src/runtimes/node/http/http-requester.js';
import { spawnServer } from '../../packages/tenon/src/runtimes/node/processes/spawn-server.js';
import { createStdioTransport } from '../../packages/tenon/src/transports/stdio/client.js';
import { bundle } from '../support/bundle.js';
import { takeCover } from '../support/extent.js';
import { type ProtocolVersion, protocolVersions } from '../support/official-schema.js';
import { createExample, type Example, type ExampleOptions } from './server.js';
import { createWire, recordRequester, recordSpawn, type Wire } from './wire.js';

export type MatrixTransport = 'memory' | 'stdio' | 'http' | 'http-sse';

/** A row of the matrix. */
export interface MatrixCase {
  readonly transport: MatrixTransport;
  readonly version: ProtocolVersion;
}

const first = protocolVersions[0];
const newest = protocolVersions[protocolVersions.length - 1] as ProtocolVersion;

/** Every transport with every protocol version that it has. */
const allCases: readonly MatrixCase[] = (['memory', 'stdio', 'http', 'http-sse'] as const).flatMap(transport =>
  protocolVersions
    .filter(
      version => !(transport === 'http' && version === first) && !(transport === 'http-sse' && version === newest),
    )
    .map(version => ({ transport, version })),
);

/** Every protocol version in memory, and each other transport with the newest protocol version of each of its forms. */
export const matrixCases: readonly MatrixCase[] = takeCover(allCases, ({ transport, version }) => {
  if (transport === 'memory') return true;
  if (transport === 'http-sse') return version === first;
  return protocolVersions.slice(transport === 'stdio' ? -2 : -3).includes(version);
});

/** A client that is connected, and what crosses. */
export interface ConnectedCase extends MatrixCase {
  readonly client: Client<Example>;
  readonly wire: Wire;
  /** Where the server listens, on the transports that have addresses. */
  readonly http: HttpServer | undefined;
  close(): Promise<void>;
}

/** A server of its own behind the transport, and a client that speaks the protocol version with it. */
export async function openCase(
  variant: MatrixCase,
  options: ClientOptions = {},
  server: ExampleOptions = {},
): Promise<ConnectedCase> {
  const { transport, version: protocolVersion } = variant;
  const wire = createWire(protocolVersion);
  const overHttp = transport === 'http' || transport === 'http-sse';
  const http = overHttp ? await serveHttp(createExample(server), { port: 0 }) : undefined;
  const endpoint = endpointOf(transport, wire, server, http);
  const client = await connectTo<Example>(endpoint, { protocolVersion, ...options });
  return {
    ...variant,
    client: client as Client<Example>,
    wire,
    http,
    async close() {
      await client.close();
      await http?.close({ timeout: 0 });
    },
  };
}

function endpointOf(
  transport: MatrixTransport,
  wire: Wire,
  server: ExampleOptions,
  http: HttpServer | undefined,
): ServerEndpoint {
  switch (transport) {
    case 'memory':
      return { kind: 'memory', open: () => paired(wire, server) };
    case 'stdio': {
      const args = [bundle('test/versions/stdio-server.ts'), JSON.stringify(server)];
      const target = { command: process.execPath, args, stderr: 'inherit' as const };
      return { kind: 'stdio', open: () => createStdioTransport(target, recordSpawn(spawnServer, wire)) };
    }
    case 'http':
      return createClientEndpoint({ url: http?.url ?? '', transport }, recordRequester(createNodeRequester(), wire));
    case 'http-sse':
      return createClientEndpoint({ url: http?.sseUrl ?? '', transport }, recordRequester(createNodeRequester(), wire));
  }
}

async function paired(wire: Wire, server: ExampleOptions) {
  const pair = createTransportPair((from, message) => wire.crosses(from, message));
  await createExample(server).connect(pair.server);
  return pair.client;
}

export interface MatrixSetup {
  /** How the client behaves; made anew for each row. */
  readonly client?: (variant: MatrixCase) => ClientOptions;
  readonly server?: ExampleOptions;
  /** Which rows take part. Default: all. */
  readonly where?: (variant: MatrixCase) => boolean;
}

/**
 * Runs the tests of `body` on every row of the matrix. After each test nothing may have crossed that the official
 * schema of the protocol version does not know.
 */
export function describeMatrix(
  title: string,
  body: (rig: () => ConnectedCase, variant: MatrixCase) => void,
  setup: MatrixSetup = {},
): void {
  for (const variant of matrixCases.filter(setup.where ?? (() => true))) {
    describe(`${title}: ${variant.transport} ${variant.version}`, () => {
      let rig: ConnectedCase | undefined;
      const opened = () => {
        if (rig === undefined) throw new Error('not open');
        return rig;
      };
      beforeAll(async () => {
        rig = await openCase(variant, setup.client?.(variant), setup.server);
      });
      let judged = 0;
      beforeEach(() => opened().wire.rewind());
      afterEach(() => {
        const errors = opened().wire.issues.slice(judged);
        judged += errors.length;
        expect(errors).toEqual([]);
      });
      afterAll(() => rig?.close());
      body(opened, variant);
    });
  }
}

/** Whether a row has sessions that a handshake opens. */
export const hasHandshake = (variant: MatrixCase) => variant.version !== newest;
