import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { connect } from 'tenon';
import { serveHttp } from 'tenon/node';
import { describe, expect, it, vi } from 'vitest';
import { createAnswers } from './answers.js';
import { collect, getText } from './collect.js';
import { createExampleServer } from './fixtures/our-example.js';
import { startV2Handler } from './fixtures/sdk-v2-http.js';
import { retryUntilPasses } from './retry.js';

/** What only 2026-07-28 has, between our ends and those of SDK v2. */
describe('our client with the handler of SDK v2', () => {
  const open = async () => {
    const { origin, close } = await startV2Handler();
    const requests: string[] = [];
    const client = await connect(`${origin}/mcp`, createAnswers(requests));
    return { client, requests, end: () => client.close().then(close) };
  };

  it('mirrors arguments in headers', async () => {
    const { client, end } = await open();
    const [region, header] = JSON.parse(getText(await client.callTool('mirrored', { region: 'north' })));
    expect([region, header]).toEqual(['north', 'north']);
    // The handler compares what the header says, and takes words in every script.
    expect(getText(await client.callTool('mirrored', { region: 'nørd 🜚' }))).toContain('nørd 🜚');
    await end();
  });

  it('repeats a call for each input request, and returns requestState', async () => {
    const { client, requests, end } = await open();
    expect(getText(await client.callTool('twice'))).toBe('second Ada roots');
    expect(requests).toEqual(['form Who are you?', 'roots']);
    await end();
  });

  it('returns input requests with `resolveInputRequests: false`', async () => {
    const { client, end } = await open();
    expect(await client.callTool('twice', {}, { resolveInputRequests: false })).toMatchObject({
      resultType: 'input_required',
      requestState: 'first',
    });
    await end();
  });

  it('caches a list for its lifetime', async () => {
    const { origin, close } = await startV2Handler();
    const seen = vi.fn(fetch);
    const client = await connect({ url: `${origin}/mcp`, fetch: seen });
    await collect(client.listPrompts());
    const before = seen.mock.calls.length;
    expect(await collect(client.listPrompts())).toHaveLength(1);
    expect(seen).toHaveBeenCalledTimes(before);
    await collect(client.listTools());
    expect(seen).toHaveBeenCalledTimes(before + 1);
    await client.close();
    await close();
  });
});

describe('the client of SDK v2 with our server', () => {
  const open = async (options: ClientOptions = {}, example: Parameters<typeof createExampleServer>[0] = {}) => {
    const server = createExampleServer(example);
    const http = await serveHttp(server, { port: 0 });
    const sent: Request[] = [];
    const watched = (async (input: string | URL, init?: RequestInit) => {
      sent.push(new Request(input, init));
      return fetch(input, init);
    }) as typeof fetch;
    const client = new Client(
      { name: 'sdk-v2', version: '2.4.0' },
      { versionNegotiation: { mode: 'auto' }, ...options },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(http.url), { fetch: watched }));
    return { server, client, sent, end: () => client.close().then(() => http.close({ timeout: 0 })) };
  };

  it('negotiates in one request, and sends only the required headers', async () => {
    const { sent, client, end } = await open();
    expect(sent).toHaveLength(1);
    expect(sent[0]?.headers.get('mcp-method')).toBe('server/discover');
    await client.listTools();
    await client.callTool({ name: 'mirrored', arguments: { region: 'nørd 🜚', count: 3 } });
    const last = sent[sent.length - 1];
    expect(last?.headers.get('mcp-session-id')).toBeNull();
    expect(last?.headers.get('mcp-name')).toBe('mirrored');
    expect(last?.headers.get('mcp-param-region')).toMatch(/^=\?base64\?/);
    expect(last?.headers.get('mcp-param-count')).toBe('3');
    await end();
  });

  it('caches a list for the lifetime that our server sends', async () => {
    const { sent, client, end } = await open({}, { cache: { ttlMs: 60_000, cacheScope: 'public' } });
    await client.listPrompts();
    const before = sent.length;
    await client.listPrompts();
    expect(sent).toHaveLength(before);
    await end();
  });

  it('subscribes automatically when it handles changes', async () => {
    const onChanged = vi.fn();
    const { server, client, end } = await open({
      listChanged: { prompts: { autoRefresh: true, debounceMs: 5, onChanged } },
    });
    expect(client.autoOpenedSubscription?.honoredFilter).toEqual({ promptsListChanged: true });
    server.prompts.set('another', { run: () => 'hello' });
    await retryUntilPasses(() => expect(onChanged).toHaveBeenCalled());
    expect(onChanged.mock.calls[0]?.[1]).toContainEqual(expect.objectContaining({ name: 'another' }));
    await end();
  });

  it('gets the end of its subscription when our server closes', async () => {
    const { server, client, end } = await open();
    const subscription = await client.listen({ resourceSubscriptions: ['note://all'] });
    server.close();
    expect(await subscription.closed).toBe('graceful');
    await end();
  });

  it('gets input requests with requestState if it does not resolve them', async () => {
    const { client, end } = await open({ capabilities: { elicitation: { form: {} }, roots: {} } });
    const result = await client.callTool({ name: 'returns', arguments: {} }, { allowInputRequired: true } as never);
    expect(result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { where: { method: 'roots/list' } },
      requestState: expect.any(String),
    });
    await end();
  });

  it('gets an error for a capability that it does not declare', async () => {
    const { client, end } = await open({ capabilities: {} });
    await expect(client.callTool({ name: 'rooted', arguments: {} })).rejects.toMatchObject({ code: -32021 });
    await end();
  });
});
