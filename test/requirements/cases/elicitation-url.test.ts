import { connectPair } from '@tenon/testing';
import {
  type Client,
  connect,
  createServer,
  prompt,
  resource,
  type TenonError,
  tool,
  urlElicitationRequired,
} from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWire } from '../../versions/wire.js';
import { type Json, listeningPair, newest, peerOf, postAlone, session, site } from './site.js';

const protocolVersion = '2025-11-25';
const page = { message: 'Sign in', url: 'https://mail.example/sign-in', elicitationId: 'sign-in-1' };
const other = { message: 'Pay', url: 'https://bank.example/pay', elicitationId: 'pay-1' };
const canVisit = { elicitation: { url: {} } };

/** Opens only to those who have been at both places. */
function guarded() {
  const visited = new Set<string>();
  const enter = () => {
    const missing = [page, other].filter(({ elicitationId }) => !visited.has(elicitationId));
    if (missing.length > 0) throw urlElicitationRequired(...missing);
    return 'Come in.';
  };
  const server = createServer({
    name: 'guarded',
    version: '1',
    tools: {
      enter: tool({ run: enter }),
      ask: tool({ run: async (_, ctx) => (await ctx.elicitUrl(page)).action }),
      fails: tool({
        run() {
          throw new Error('inner');
        },
      }),
    },
    prompts: { enter: prompt({ run: enter }) },
    resources: { 'guarded://hall': resource({ read: enter }) },
    onError: () => {},
  });
  return { server, visited };
}

const outcome = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: TenonError) => error);
const listModes = (client: Client): [string, () => Promise<unknown>][] => [
  ['tools/call', () => client.callTool('enter')],
  ['prompts/get', () => client.call('prompts/get', { name: 'enter' })],
  ['resources/read', () => client.readResource('guarded://hall')],
];

describe('a request that requires a URL elicitation', () => {
  it('is refused with every required visit, on 2025-11-25 [elicitation.required-error.code, elicitation.required-error.lists-elicitations, elicitation.required-error.url-mode-only, schema.const.url-elicitation-required]', async () => {
    const { server, visited } = guarded();
    const wire = createWire(protocolVersion);
    const client = await connectPair(server, {
      protocolVersion,
      elicitUrl: () => ({ action: 'accept' }),
      onMessage: (from, message) => wire.crosses(from, message),
    });
    for (const [method, ask] of listModes(client)) {
      visited.clear();
      const error = (await outcome(ask())) as TenonError;
      expect(error.rpcCode, method).toBe(-32042);
      expect(error.data).toEqual({
        elicitations: [
          { mode: 'url', ...page },
          { mode: 'url', ...other },
        ],
      });
      visited.add(page.elicitationId);
      expect((await outcome(ask())) as TenonError).toMatchObject({
        rpcCode: -32042,
        data: { elicitations: [{ mode: 'url', ...other }] },
      });
      visited.add(other.elicitationId);
      expect(await outcome(ask()), method).not.toBeInstanceOf(Error);
    }
    expect(wire.issues).toEqual([]);
    await client.close();
  });

  it('has this error code for nothing else [elicitation.required-error.only-when-required]', async () => {
    const { server } = guarded();
    const client = await connectPair(server, { protocolVersion, elicitUrl: () => ({ action: 'decline' }) });
    const results = [
      await client.callTool('ask'),
      await client.callTool('fails'),
      await outcome(client.callTool('nothing')),
      await outcome(client.readResource('guarded://nothing')),
      await outcome(client.call('prompts/get', { name: 'nothing' })),
      await outcome(client.call('com.example/nothing')),
    ];
    expect(results.map(each => (each as TenonError).rpcCode)).toEqual([
      undefined,
      undefined,
      -32602,
      -32002,
      -32602,
      -32601,
    ]);
    expect(results[0]).toMatchObject({ content: [{ text: 'decline' }] });
    await client.close();
  });

  it('becomes an input request on 2026-07-28, and is repeated after the visits', async () => {
    const { server, visited } = guarded();
    const wire = createWire(newest);
    const requests: string[] = [];
    const client = await connectPair(server, {
      onMessage: (from, message) => wire.crosses(from, message),
      elicitUrl({ url }) {
        requests.push(url);
        for (const { elicitationId } of [page, other]) visited.add(elicitationId);
        return { action: 'accept' };
      },
    });
    for (const [method, ask] of listModes(client)) {
      visited.clear();
      expect(await outcome(ask()), method).not.toBeInstanceOf(Error);
      expect(requests.splice(0)).toEqual([page.url, other.url]);
    }
    expect(JSON.stringify(wire.crossings)).not.toContain('elicitationId');
    expect(wire.issues).toEqual([]);
    await client.close();
  });

  it('requests a missing visit again, up to the maximum number of rounds', async () => {
    const { server, visited } = guarded();
    let times = 0;
    const elicitUrl = () => {
      times += 1;
      if (times > 4) visited.add(page.elicitationId).add(other.elicitationId);
      return { action: 'accept' as const };
    };
    const client = await connectPair(server, { elicitUrl });
    expect(await client.callTool('enter')).toMatchObject({ content: [{ text: 'Come in.' }] });
    expect(times).toBe(6);
    times = Number.NEGATIVE_INFINITY;
    visited.clear();
    expect(await outcome(client.callTool('enter'))).toMatchObject({ code: 'call/too-many-rounds' });
    await client.close();
  });

  it.each(['decline', 'cancel'] as const)(
    'fails when the user responds %s [elicitation.server-handles-refusal]',
    async action => {
      const { server } = guarded();
      let requestCount = 0;
      const elicitUrl = () => {
        requestCount += 1;
        return { action };
      };
      const client = await connectPair(server, { elicitUrl });
      expect(await client.callTool('enter')).toMatchObject({ isError: true, content: [{ text: /did not want/ }] });
      expect(await outcome(client.readResource('guarded://hall'))).toMatchObject({ rpcCode: -32603 });
      expect(requestCount).toBe(4);
      await client.close();
    },
  );

  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'is refused with a text for a client without URL elicitation, on %s [elicitation.mode.only-supported]',
    async date => {
      const { server } = guarded();
      const elicit = () => ({ action: 'cancel' as const });
      const client = await connectPair(server, { protocolVersion: date, elicit });
      expect(await client.callTool('enter')).toMatchObject({
        isError: true,
        content: [{ text: 'The client does not support URL elicitation' }],
      });
      expect(await outcome(client.readResource('guarded://hall'))).toMatchObject({
        rpcCode: -32603,
        message: expect.stringContaining('does not support URL elicitation'),
      });
      await client.close();
    },
  );

  it('is refused with the missing capability, on 2026-07-28 [meta.capability-missing-error]', async () => {
    const url = await site(guarded().server);
    const { status, messages } = await postAlone(
      url,
      'tools/call',
      { name: 'enter' },
      { capabilities: { elicitation: {} } },
    );
    expect(status).toBe(400);
    expect(messages).toMatchObject([
      { error: { code: -32021, data: { requiredCapabilities: { elicitation: { url: {} } } } } },
    ]);
  });
});

describe('the notification of a completed URL elicitation', () => {
  const complete = (received: readonly Json[]) =>
    received.filter(({ method }) => method === 'notifications/elicitation/complete').map(({ params }) => params);

  it('goes to the client that got the elicitation, with the same id, once [elicitation.complete.originating-client-only, elicitation.complete.same-id, schema.notification.elicitation-complete]', async () => {
    const { server } = guarded();
    const [ada, bob] = [
      await peerOf(server, protocolVersion, canVisit),
      await peerOf(server, protocolVersion, canVisit),
    ];
    await ada.ask('tools/call', { name: 'enter' });
    expect(server.completeElicitation(page.elicitationId)).toBe(true);
    expect(server.completeElicitation(page.elicitationId)).toBe(false);
    expect(server.completeElicitation('unknown')).toBe(false);
    for (const each of [ada, bob]) await each.ask('ping');
    expect([complete(ada.received), complete(bob.received)]).toEqual([[{ elicitationId: page.elicitationId }], []]);

    // The same of a question that the server asks while it works.
    const request = bob.say({ id: 'ask', method: 'tools/call', params: { name: 'ask' } });
    const { id, params } = await bob.until(({ method }) => method === 'elicitation/create');
    expect(params).toMatchObject({ mode: 'url', elicitationId: page.elicitationId });
    await bob.say({ id, result: { action: 'accept' } });
    await request;
    expect(server.completeElicitation(page.elicitationId)).toBe(true);
    for (const each of [ada, bob]) await each.ask('ping');
    expect([complete(ada.received).length, complete(bob.received)]).toEqual([
      1,
      [{ elicitationId: page.elicitationId }],
    ]);
    await ada.close();
    await bob.close();
  });

  it('goes to the session that got the elicitation over HTTP, and to no other [elicitation.complete.originating-client-only]', async () => {
    const { server } = guarded();
    const url = await site(server);
    const elicited: string[] = [];
    const clients = await Promise.all(
      ['ada', 'bob'].map(async name => {
        const client = await connect(url, { protocolVersion, elicitUrl: () => ({ action: 'accept' }) });
        onTestFinished(() => client.close());
        client.on('elicitationComplete', ({ elicitationId }) => elicited.push(`${name}: ${elicitationId}`));
        return client;
      }),
    );
    await outcome((clients[0] as Client).callTool('enter'));
    expect(server.completeElicitation(page.elicitationId)).toBe(true);
    await expect.poll(() => elicited, { interval: 5 }).toEqual([`ada: ${page.elicitationId}`]);
    // Whatever went to the other one as well would have come before this.
    server.tools.set('late', tool({ run: () => 'x' }));
    await Promise.all(clients.map(client => client.ping()));
    expect(elicited).toEqual([`ada: ${page.elicitationId}`]);
  });

  it('goes to no client that has disconnected or has a protocol version without it', async () => {
    const { server } = guarded();
    const ada = await peerOf(server, protocolVersion, canVisit);
    await ada.ask('tools/call', { name: 'enter' });
    ada.conversation.end();
    expect(server.completeElicitation(page.elicitationId)).toBe(false);
    const url = await site(server);
    await postAlone(url, 'tools/call', { name: 'enter' }, { capabilities: canVisit });
    expect(server.completeElicitation(page.elicitationId)).toBe(false);
    const older = await session(url, '2025-06-18', canVisit);
    await older.say({ id: 1, method: 'tools/call', params: { name: 'enter' } });
    expect(server.completeElicitation(page.elicitationId)).toBe(false);
  });

  it('reaches the application, and is ignored for an unknown id [elicitation.complete.unknown-ignored]', async () => {
    const { client: end, server, receiver, until } = listeningPair();
    await server.open(receiver);
    const connecting = connectPairTo(end);
    const { id } = await until(({ method }) => method === 'initialize');
    const result = { protocolVersion, capabilities: {}, serverInfo: { name: 's', version: '1' } };
    await server.send({ jsonrpc: '2.0', id, result } as never);
    const client = await connecting;
    const elicited: string[] = [];
    const errors: unknown[] = [];
    client.on('elicitationComplete', ({ elicitationId }) => elicited.push(elicitationId));
    client.on('error', error => errors.push(error));
    const notify = (params: Json) =>
      server.send({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params } as never);
    await notify({ elicitationId: 'never asked' });
    await notify({ elicitationId: 'never asked' });
    await notify({});
    const pinging = client.ping();
    const ping = await until(({ method }) => method === 'ping');
    await server.send({ jsonrpc: '2.0', id: ping.id, result: {} } as never);
    await pinging;
    expect(elicited).toEqual(['never asked', 'never asked']);
    expect(errors).toMatchObject([{ code: 'peer/malformed' }]);
    await client.close();
  });
});

const connectPairTo = (end: ReturnType<typeof listeningPair>['client']) =>
  connect(end, { protocolVersion, elicitUrl: () => ({ action: 'accept' }) });
