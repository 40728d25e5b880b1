import { createHost } from '@tenon/host';
import { type ConnectTarget, connect } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAnswers } from './answers.js';
import { collect } from './collect.js';
import { type EverythingClient, testOfferings } from './everything-listings.js';
import { testServerRequests } from './everything-requests.js';
import {
  createStdioPeer,
  findOfficialServer,
  type HttpPeer,
  isRunning,
  startHttpPeer,
  waitForExit,
} from './process.js';
import type { EverythingServer } from './server-types.js';

const everything = findOfficialServer('server-everything');

interface OpenConnection {
  readonly target: ConnectTarget;
  /** Ends what the client does not end; checks what it does. */
  stop(): Promise<void>;
}

/** Which of the two transports it is, the client finds out by itself. */
async function overHttp(transport: 'streamableHttp' | 'sse', path: string): Promise<OpenConnection> {
  const peer: HttpPeer = await startHttpPeer([everything, transport]);
  return { target: peer.origin + path, stop: peer.stop };
}

const connections: Record<string, () => Promise<OpenConnection>> = {
  async stdio() {
    const { target, pid } = createStdioPeer([everything, 'stdio']);
    return {
      target,
      async stop() {
        expect(isRunning(pid())).toBe(false);
      },
    };
  },
  'Streamable HTTP': () => overHttp('streamableHttp', '/mcp'),
  'HTTP+SSE': () => overHttp('sse', '/sse'),
};

describe.each(Object.keys(connections))('server-everything over %s', name => {
  let connection: OpenConnection;
  let gatewayClient: EverythingClient;

  beforeAll(async () => {
    connection = await (connections[name] as () => Promise<OpenConnection>)();
    const requests: EverythingClient['requests'] = [];
    const client = await connect<EverythingServer>(connection.target, createAnswers(requests));
    gatewayClient = { client, requests, logs: [], errors: [] };
    client.on('log', log => gatewayClient.logs.push(log));
    client.on('error', error => gatewayClient.errors.push(error));
  });

  afterAll(async () => {
    await gatewayClient.client.close();
    await connection.stop();
    expect(gatewayClient.errors).toEqual([]);
  });

  testOfferings(() => gatewayClient);
  testServerRequests(() => gatewayClient);
});

describe('server-everything with a client without handlers', () => {
  it('offers fewer tools, and exits with the client', async () => {
    const { target, pid } = createStdioPeer([everything, 'stdio']);
    const client = await connect(target);
    const names = (await collect(client.listTools())).map(tool => tool.name);
    expect(names).toContain('echo');
    expect(names).not.toContain('trigger-sampling-request');
    expect(isRunning(pid())).toBe(true);
    await client.close();
    await waitForExit(pid());
  });
});

describe('server-everything over Streamable HTTP after a restart, which responds 400 to the former session', () => {
  /** Ends the server, and starts another in its place that knows no session. */
  async function restart(peer: HttpPeer): Promise<HttpPeer> {
    await peer.stop();
    return startHttpPeer([everything, 'streamableHttp'], {}, Number(new URL(peer.origin).port));
  }

  it('serves the client in a new session [http.session.client-restarts-on-404]', async () => {
    const before = await startHttpPeer([everything, 'streamableHttp']);
    const client = await connect(`${before.origin}/mcp`);
    await client.callTool('echo', { message: 'before' });
    const after = await restart(before);
    const states: string[] = [];
    client.on('state', state => states.push(state));
    expect(await client.callTool('echo', { message: 'after' })).toMatchObject({
      content: [{ type: 'text', text: 'Echo: after' }],
    });
    expect(states).toEqual(['reconnecting', 'connected']);
    await client.close();
    await after.stop();
  });

  it('serves a host in a new session', async () => {
    const before = await startHttpPeer([everything, 'streamableHttp']);
    const host = await createHost({ prefix: 'auto', servers: { everything: { url: `${before.origin}/mcp` } } });
    const echo = async (message: string) => (await host.callTool('echo', { message })).content;
    await echo('before');
    const after = await restart(before);
    expect(await echo('after')).toEqual([{ type: 'text', text: 'Echo: after' }]);
    await host.close();
    await after.stop();
  });
});
