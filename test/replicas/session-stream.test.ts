import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { type ClientOptions, connect } from 'tenon';
import { afterEach, expect, it } from 'vitest';
import { openGateways } from '../../packages/host/src/fixtures/gateway-replicas.js';
import { createAnswers } from '../interop/answers.js';
import { getText } from '../interop/collect.js';
import { type Listening, listen } from '../interop/fixtures/listen.js';
import { form } from '../interop/fixtures/offers.js';
import { startRoundRobin } from '../interop/fixtures/round-robin.js';
import { GATEWAY_KEYS } from './gateway-keys.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server of the official SDK v1 that sends what belongs to a call on the stream of the session. */
async function startServer(): Promise<
  Listening & { readonly requested: string[]; askOutsideOfCalls(): Promise<unknown> }
> {
  const sessions = new Map<string, { server: McpServer; transport: StreamableHTTPServerTransport }>();
  const requested: string[] = [];
  const listening = await listen(async (request, response) => {
    const known = sessions.get(String(request.headers['mcp-session-id']));
    if (known) return known.transport.handleRequest(request, response);
    const server = new McpServer({ name: 'v1', version: '1.0.0' });
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: id => void sessions.set(id, { server, transport }),
    });
    server.registerTool('ask', {}, async ({ requestId, _meta }) => {
      requested.push(String(requestId));
      if (_meta?.progressToken !== undefined) {
        const params = { progressToken: _meta.progressToken, progress: 1, total: 2 };
        await server.server.notification({ method: 'notifications/progress', params });
      }
      const { action, content } = await server.server.elicitInput(form);
      return { content: [{ type: 'text', text: `${action} ${content?.name ?? ''}` }] };
    });
    await server.connect(transport as never);
    return transport.handleRequest(request, response);
  });
  closing.push(() => listening.close());
  return {
    ...listening,
    requested,
    askOutsideOfCalls: () => Promise.all([...sessions.values()].map(({ server }) => server.server.elicitInput(form))),
  };
}

/** Two gateways with one store in front of the server, behind a load balancer, and a client. */
async function start(options: ClientOptions) {
  const server = await startServer();
  const gateways = await openGateways(
    { v1: { url: `${server.origin}/mcp` } },
    { prefix: 'never', inputRequests: { keys: GATEWAY_KEYS } },
  );
  closing.push(() => Promise.all(gateways.map(each => each.close({ timeout: 0 }))));
  const balancer = await startRoundRobin(gateways.map(({ origin }) => origin));
  closing.push(() => balancer.close());
  const client = await connect(`${balancer.origin}/mcp`, { ...createAnswers(), ...options });
  closing.push(() => client.close());
  return { server, balancer, client };
}

it.each(['2025-06-18', '2025-11-25', '2026-07-28'] as const)(
  'passes an input request on the stream of the session to the gateway that runs the call, for a client of %s',
  async protocolVersion => {
    const { server, balancer, client } = await start({ protocolVersion });
    const progress: unknown[] = [];
    for (let n = 0; n < 6; n++) {
      const result = await client.callTool('ask', {}, { onProgress: report => void progress.push(report.progress) });
      expect(getText(result)).toBe('accept Ada');
      // Otherwise the first request of each call could reach the same gateway.
      if (n % 2 === 0) await fetch(balancer.origin);
    }
    // Both gateways have sent calls in the session, and one of them holds its stream.
    expect(new Set(server.requested.map(id => id.split('.')[0])).size).toBe(2);
    expect(progress.length).toBe(6);
  },
);

it('tells a server that requests input outside of a call that no call can pass it on', async () => {
  const { server, client } = await start({ protocolVersion: '2026-07-28' });
  await client.callTool('ask');
  await expect(server.askOutsideOfCalls()).rejects.toMatchObject({
    code: -32603,
    message: expect.stringContaining('No active call can pass on the request'),
  });
});
