import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Client, connect, createServer, type TenonError, tool } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectTo } from '../../../packages/tenon/src/client/connect.js';
import { createClientEndpoint } from '../../../packages/tenon/src/client/connection/http-endpoint.js';
import { createNodeRequester } from '../../../packages/tenon/src/runtimes/node/http/http-requester.js';
import { createWire, recordRequester } from '../../versions/wire.js';
import { type Json, listeningPair, newest, postAlone, site } from './site.js';

const form = { elicitation: {} };
const yes = { type: 'object', properties: { yes: { type: 'boolean' } } } as const;
const accepted = { action: 'accept', content: { yes: true } };

function asking(entered: (context: object) => void = () => {}, maxSuspended = 1000) {
  return createServer({
    name: 'asking',
    version: '1',
    inputRequests: { maxSuspended },
    tools: {
      ask: tool({
        async run(_, ctx) {
          entered(ctx);
          ctx.progress(1);
          const first = await ctx.elicit({ message: 'First?', input: yes });
          ctx.progress(2);
          const second = await ctx.elicit({ message: 'Second?', input: yes });
          return `${first.action} ${second.action}`;
        },
      }),
    },
    onError: () => {},
  });
}

const inputOf = (answer: { messages: readonly Json[] }) => answer.messages.at(-1)?.result as Json;

describe('state that outlives a request', () => {
  it('is identified by what the client sends again, and by nothing else [base.stateless-explicit-identifier]', async () => {
    const url = await site(asking());
    const ask = (more: Json = {}) =>
      postAlone(url, 'tools/call', { name: 'ask', ...more }, { capabilities: form, headers: { connection: 'close' } });
    const first = inputOf(await ask());
    const [key = ''] = Object.keys(first.inputRequests as Json);
    const answered = { inputResponses: { [key]: accepted } };
    // Without the state the answer is to nothing: it is asked anew, whatever was before.
    for (const more of [{}, answered])
      expect(inputOf(await ask(more))).toMatchObject({ inputRequests: { [key]: { params: { message: 'First?' } } } });
    const second = inputOf(await ask({ ...answered, requestState: first.requestState }));
    const [next = ''] = Object.keys(second.inputRequests as Json);
    expect((second.inputRequests as Record<string, Json>)[next]).toMatchObject({ params: { message: 'Second?' } });
    const last = await ask({ inputResponses: { [next]: accepted }, requestState: second.requestState });
    expect(inputOf(last)).toMatchObject({ content: [{ text: 'accept accept' }] });
    // What was said first names what is over.
    const over = await ask({ ...answered, requestState: first.requestState });
    expect(over.messages.at(-1)?.error).toMatchObject({ code: -32602 });
  });

  it('is sent again by the client, which stores none of its own [base.stateless-explicit-identifier]', async () => {
    const wire = createWire(newest);
    const url = await site(asking());
    const client = await connectTo(
      createClientEndpoint({ url, transport: 'http' }, recordRequester(createNodeRequester(), wire)),
      {
        elicit: () => accepted as never,
      },
    );
    onTestFinished(() => client.close());
    expect(await client.callTool('ask')).toMatchObject({ content: [{ text: 'accept accept' }] });
    const states = wire.sent('client', 'tools/call').map(({ requestState }) => typeof requestState);
    expect(states).toEqual(['undefined', 'string', 'string']);
  });

  it('is limited for responses that may never arrive [mrtr.no-assumption-of-retry]', async () => {
    const contexts: WeakRef<object>[] = [];
    const server = asking(context => contexts.push(new WeakRef(context)), 3);
    const url = await site(server);
    for (let call = 0; call < 20; call++)
      expect(inputOf(await postAlone(url, 'tools/call', { name: 'ask' }, { capabilities: form }))).toHaveProperty(
        'requestState',
      );
    expect(contexts.length).toBe(20);
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const alive = () => {
      collect();
      return contexts.filter(context => context.deref() !== undefined).length;
    };
    // The last one may still be on the stack of the runtime.
    await expect.poll(alive, { interval: 20 }).toBeLessThan(5);
  });
});

describe('a server on a protocol version without requests from server to client', () => {
  it('streams notifications and one response, and no request [http.sse-no-server-requests]', async () => {
    const url = await site(asking());
    const { headers, messages } = await postAlone(
      url,
      'tools/call',
      { name: 'ask', _meta: { progressToken: 'p' } },
      { capabilities: form },
    );
    expect(headers['content-type']).toContain('application/json');
    const wire = createWire(newest);
    const client = await connectTo(
      createClientEndpoint({ url, transport: 'http' }, recordRequester(createNodeRequester(), wire)),
      {
        elicit: () => accepted as never,
      },
    );
    onTestFinished(() => client.close());
    await client.callTool('ask');
    const streamed = wire.exchanges.filter(({ contentType }) => contentType.includes('event-stream'));
    expect(streamed.length).toBeGreaterThan(0);
    const received = wire.crossings.filter(({ from }) => from === 'server').map(({ value }) => value as Json);
    expect(received.filter(message => 'method' in message && 'id' in message)).toEqual([]);
    expect(received.some(({ method }) => method === 'notifications/progress')).toBe(true);
    expect(messages.length).toBe(1);
    expect(wire.issues).toEqual([]);
  });
});

const requests: Json[] = [
  { id: 'a', method: 'ping' },
  { id: 'b', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } },
  { id: 'c', method: 'elicitation/create', params: { message: 'm', requestedSchema: yes } },
  { id: 'd', method: 'roots/list' },
  { id: 'e', method: 'com.example/unknown' },
  { id: 'f', method: 7 },
  { id: 'g', result: {}, error: {} },
];
const answers = { elicit: () => accepted as never, sample: () => ({}) as never, roots: [{ uri: 'file:///a' }] };
const discovered = {
  resultType: 'complete',
  ttlMs: 0,
  cacheScope: 'private',
  supportedVersions: [newest],
  capabilities: { tools: {} },
};

describe('a client on a protocol version without requests from server to client', () => {
  it('sends no response to requests of a server over a shared stream [stdio.client-no-responses]', async () => {
    const { client: end, server, receiver, until, received } = listeningPair();
    await server.open(receiver);
    const say = (message: Json) => server.send({ jsonrpc: '2.0', ...message } as never);
    const connecting = connect(end, answers);
    const { id } = await until(({ method }) => method === 'server/discover');
    await say({ id, result: discovered });
    const client = await connecting;
    const errors = collectErrors(client);
    for (const each of requests) await say(each);
    const pinging = client.ping();
    const ping = await until(({ method, id: each }) => method === 'server/discover' && each !== id);
    await say({ id: ping.id, result: discovered });
    await pinging;
    expect(received.filter(message => !('method' in message))).toEqual([]);
    expect(errors.filter(code => code === 'peer/unexpected-request').length).toBe(5);
    await client.close();
  });

  it('posts no response to requests of a server on a stream [http.body-no-responses]', async () => {
    const bodies: Json[] = [];
    const event = (message: Json) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
    const fetch = async (_: unknown, init: { body?: string }) => {
      const message: Json = JSON.parse(init.body ?? '{}');
      bodies.push(message);
      const result = message.method === 'server/discover' ? discovered : { ...discovered, content: [], tools: [] };
      const text = [...requests.map(event), event({ id: message.id, result })].join('');
      return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
    };
    const client = await connect({ url: 'http://127.0.0.1:1/mcp', fetch: fetch as never }, answers);
    const errors = collectErrors(client);
    expect(await client.callTool('t')).toMatchObject({ content: [] });
    await client.ping();
    expect(bodies.filter(body => !('method' in body))).toEqual([]);
    expect(errors).toContain('peer/unexpected-request');
    await client.close();
  });
});

function collectErrors(client: Client): string[] {
  const errors: string[] = [];
  client.on('error', ({ code }: TenonError) => errors.push(code));
  return errors;
}
