// Loaded before, because a response would otherwise wait for a file.
import '../exposed-errors.js';
import type { JsonObject, TenonError } from '@tenon/base';
import { connectPair, protocolVersions } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { loadRuntime } from '../../execution/lazy-run.js';
import type { JsonRpcMessage } from '../../jsonrpc/message.js';
import type { MessageReceiver } from '../../jsonrpc/transport.js';
import { createTransportPair } from '../../transports/memory.js';
import { prompt } from '../definitions/prompt.js';
import { resource } from '../definitions/resource.js';
import type { ServerDefinition } from '../definitions/server-definition.js';
import { tool } from '../definitions/tool.js';
import { createServer } from '../server.js';

// What asks is loaded by the first handler that does: here nothing waits for that.
await loadRuntime();

const soon = () => new Promise(resolve => setImmediate(resolve));
const v = { jsonrpc: '2.0' as const };
const handshakes = protocolVersions.filter(each => each !== '2026-07-28');
const details = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

async function start(more: Partial<ServerDefinition> = {}) {
  const pair = createTransportPair();
  const received: JsonObject[] = [];
  const errors: TenonError[] = [];
  const ended: string[] = [];
  let closed = 0;
  const server = createServer({
    name: 's',
    version: '1',
    onError: error => errors.push(error),
    tools: { t: tool({ run: () => 'ok' }), roots: tool({ run: async (_, ctx) => JSON.stringify(await ctx.roots()) }) },
    prompts: { p: prompt({ run: () => 'text' }) },
    resources: {
      'a:1': resource({ read: () => 'x', subscribe: uri => () => ended.push(uri) }),
      'a:{x}': resource({ read: () => undefined }),
    },
    ...more,
  });
  const conversation = await server.connect(pair.server);
  await pair.client.open({
    onMessage: value => received.push(value as JsonObject),
    onParseError() {},
    onResponseLost() {},
    onClose: () => closed++,
  });
  const say = async (message: object) => {
    const from = received.length;
    await pair.client.send(message as JsonRpcMessage);
    await soon();
    return received.slice(from);
  };
  const ask = async (method: string, params: JsonObject = {}, id: unknown = 1) =>
    (await say({ ...v, id, method, params }))[0] as JsonObject;
  const open = async (protocolVersion = '2025-11-25', capabilities: JsonObject = {}) => {
    const answer = await ask(
      'initialize',
      { protocolVersion, capabilities, clientInfo: { name: 'c', version: '1' } },
      0,
    );
    await say({ ...v, method: 'notifications/initialized' });
    return answer;
  };
  return {
    server,
    conversation,
    say,
    ask,
    open,
    received,
    errors,
    ended,
    remote: pair.client,
    closed: () => closed,
  };
}

describe('the handshake of a server', () => {
  it.each(handshakes)(
    'agrees on %s when the client requests it [lifecycle.version.server-echoes lifecycle.initialize.server-responds compat.legacy-client-dual-era-server]',
    async version => {
      const { open, conversation } = await start();
      expect(await open(version)).toMatchObject({
        result: {
          protocolVersion: version,
          serverInfo: { name: 's', version: '1' },
          capabilities: { tools: {}, prompts: {}, resources: {} },
        },
      });
      expect(conversation.dialect?.protocolVersion).toBe(version);
    },
  );

  it.each(['1999-01-01', '2099-01-01', '2026-07-28', ''])(
    'offers another version when the client requests %j [lifecycle.version.server-counteroffer versioning.version-format]',
    async version => {
      expect(await (await start()).open(version)).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
    },
  );

  it('offers only versions that are served', async () => {
    const { open } = await start({ protocolVersions: ['2026-07-28', '2025-03-26'] });
    expect(await open('2025-11-25')).toMatchObject({ result: { protocolVersion: '2025-03-26' } });
  });

  it('fails where no version with a handshake is served [compat.legacy-client-modern-server-stdio]', async () => {
    const { open, conversation } = await start({ protocolVersions: ['2026-07-28'] });
    expect(await open()).toMatchObject({ error: { code: -32022, data: { supported: ['2026-07-28'] } } });
    expect(conversation.dialect).toBeUndefined();
  });

  it.each([
    {},
    { protocolVersion: 5 },
    { protocolVersion: '2025-11-25', capabilities: [] },
    { protocolVersion: '2025-11-25', capabilities: {} },
  ])(
    'rejects %j and can still succeed [base.error.invalid-params lifecycle.initialize.client-content]',
    async params => {
      const { ask, open } = await start();
      expect(await ask('initialize', params as JsonObject)).toMatchObject({ error: { code: -32602 } });
      expect(await open()).toHaveProperty('result');
    },
  );

  it('answers only pings before it succeeds, and succeeds once [lifecycle.initialize-first ping.respond-empty]', async () => {
    const { ask, open } = await start();
    expect(await ask('ping')).toEqual({ ...v, id: 1, result: {} });
    expect(await ask('tools/list')).toMatchObject({ error: { code: -32602 } });
    await open();
    expect(await ask('tools/list')).toHaveProperty('result');
    expect(
      await ask('initialize', {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'c', version: '1' },
      }),
    ).toMatchObject({ error: { code: -32600 } });
  });
});

describe('a request that names its protocol version', () => {
  it('succeeds before and after a handshake [compat.server-modern-meta-selects-stateless discover.no-prior-call-required versioning.each-request-independent base.stateless-no-prior-context]', async () => {
    const { ask, open } = await start();
    const call = () => ask('tools/call', { name: 't', _meta: details });
    expect(await call()).toMatchObject({ result: { resultType: 'complete' } });
    await open('2025-06-18', { roots: {} });
    expect(await call()).toMatchObject({ result: { resultType: 'complete' } });
    // What the session declared is not its.
    expect(await ask('tools/call', { name: 'roots', _meta: details })).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { roots: {} } } },
    });
    expect((await ask('tools/call', { name: 't' })).result).not.toHaveProperty('resultType');
  });

  it.each(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'])(
    'rejects %s [base.removed-methods-unknown compat.server-initialize-with-modern-meta]',
    async method => {
      const { ask } = await start();
      expect(await ask(method, { uri: 'a:1', level: 'error', _meta: details })).toMatchObject({
        error: { code: -32601 },
      });
    },
  );

  it('rejects an unsupported protocol version [versioning.unsupported-version-error discover.unsupported-version-error discover.supported-versions-complete]', async () => {
    const { ask } = await start();
    const _meta = { ...details, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
    const found = await ask('server/discover', { _meta: details });
    const refused = await ask('server/discover', { _meta });
    expect(refused).toMatchObject({
      error: {
        code: -32022,
        data: { requested: '2099-01-01', supported: (found.result as JsonObject).supportedVersions },
      },
    });
  });

  it('keeps a subscription until it is cancelled or the server closes [subscriptions.graceful-close-shape subscriptions.ack-shape subscriptions.id-is-listen-request-id subscriptions.client-cancel-stdio cancellation.server-listen-teardown]', async () => {
    const { say, server, conversation, ended } = await start();
    const listen = (id: string) =>
      say({
        ...v,
        id,
        method: 'subscriptions/listen',
        params: { notifications: { resourceSubscriptions: ['a:1', 'no:such'] }, _meta: details },
      });
    const _meta = (id: string) => ({ 'io.modelcontextprotocol/subscriptionId': id });
    expect(await listen('one')).toMatchObject([
      {
        method: 'notifications/subscriptions/acknowledged',
        params: { _meta: _meta('one'), notifications: { resourceSubscriptions: ['a:1'] } },
      },
    ]);
    await listen('two');
    expect(conversation.inFlight).toBe(0);
    expect(await say({ ...v, method: 'notifications/cancelled', params: { requestId: 'one' } })).toEqual([]);
    expect(conversation.inFlight).toBe(0);
    expect(ended).toEqual([]);
    server.close();
    const last = await say({ ...v, method: 'x' });
    expect(last).toMatchObject([
      { id: 'two', result: { _meta: _meta('two'), resultType: 'complete' } },
      { method: 'notifications/cancelled', params: { requestId: 'two' } },
    ]);
    expect(ended).toEqual(['a:1']);
  });

  it('sends no cancellation for a subscription that it refuses', async () => {
    const { say } = await start();
    const refused = await say({ ...v, id: 'one', method: 'subscriptions/listen', params: { _meta: details } });
    const later = await say({ ...v, method: 'x' });
    expect([refused, later]).toMatchObject([[{ id: 'one', error: { code: -32602 } }], []]);
  });
});

describe('a session', () => {
  it('notifies of subscribed resources until it ends [resources.subscribe.update-sent resources.unsubscribe.stops-updates]', async () => {
    const { ask, open, server, received, remote, ended } = await start();
    await open();
    expect(await ask('resources/subscribe', { uri: 'a:1' })).toMatchObject({ result: {} });
    expect(await ask('resources/subscribe', { uri: 'no:such' })).toMatchObject({ error: { code: -32002 } });
    server.notifyResourceUpdated('a:1');
    server.notifyResourceUpdated('a:2');
    await soon();
    expect(received.at(-1)).toEqual({ ...v, method: 'notifications/resources/updated', params: { uri: 'a:1' } });
    await ask('resources/unsubscribe', { uri: 'a:1' });
    expect(ended).toEqual(['a:1']);
    const before = received.length;
    server.notifyResourceUpdated('a:1');
    await ask('resources/subscribe', { uri: 'a:1' });
    expect(received.slice(before)).toHaveLength(1);
    await remote.close();
    await soon();
    expect(ended).toEqual(['a:1', 'a:1']);
  });

  it('subscribes to at most a thousand resources', async () => {
    const { ask, open } = await start();
    await open();
    for (let n = 0; n < 1000; n++) await ask('resources/subscribe', { uri: `a:${n}` });
    expect(await ask('resources/subscribe', { uri: 'a:x' })).toMatchObject({ error: { code: -32600 } });
    expect(await ask('resources/subscribe', { uri: 'a:5' })).toHaveProperty('result');
  });

  it('sends a response before it shuts down', async () => {
    const { ask, open, closed } = await start();
    await open();
    expect(await ask('shutdown')).toEqual({ ...v, id: 1, result: {} });
    await soon();
    expect(closed()).toBe(1);
  });

  it('watches nothing after its end, whatever arrives [subscriptions.no-state-across-reconnect]', async () => {
    const { ask, open, say, conversation, server, received } = await start();
    await open();
    await ask('resources/subscribe', { uri: 'a:1' });
    conversation.end();
    await say({ ...v, method: 'notifications/initialized' });
    const before = received.length;
    server.notifyResourceUpdated('a:1');
    await soon();
    expect(received.length).toBe(before);
  });

  it.each([
    ['garbage', { result: { roots: 'secret' } }],
    ['a broken answer', { result: 'secret' }],
  ])('hides the text of the client from the model when the client responds with %s', async (_, answer) => {
    const { open, say, ask } = await start();
    await open('2025-11-25', { roots: {} });
    const inputRequest = await ask('tools/call', { name: 'roots' }, 'call');
    expect(inputRequest).toMatchObject({ method: 'roots/list' });
    const received = await say({ ...v, id: inputRequest.id, ...answer });
    expect(received).toMatchObject([{ id: 'call', result: { isError: true } }]);
    expect(JSON.stringify(received)).not.toContain('secret');
  });

  it('shows the message of an error of the client to the caller', async () => {
    const { open, say, ask } = await start();
    await open('2025-11-25', { roots: {} });
    const inputRequest = await ask('tools/call', { name: 'roots' }, 'call');
    const messages = await say({
      ...v,
      id: inputRequest.id,
      error: { code: -1, message: 'User rejected the request' },
    });
    expect(messages).toMatchObject([{ id: 'call', result: { isError: true } }]);
    expect(JSON.stringify(messages)).toContain('User rejected the request (-1)');
  });

  it('cancels its input request when the call is cancelled', async () => {
    const { open, say, ask } = await start();
    await open('2025-11-25', { roots: {} });
    const inputRequest = await ask('tools/call', { name: 'roots' }, 'call');
    const received = await say({ ...v, method: 'notifications/cancelled', params: { requestId: 'call' } });
    expect(received.filter(({ id }) => id === 'call')).toEqual([]);
    expect(received).toMatchObject([{ method: 'notifications/cancelled', params: { requestId: inputRequest.id } }]);
  });

  it('sends no input request to a client without the capability [lifecycle.operation.negotiated-capabilities-only]', async () => {
    const { open, ask } = await start();
    await open();
    expect(await ask('tools/call', { name: 'roots' })).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining('does not support roots') }] },
    });
  });
});

describe.each(protocolVersions)('a server with empty catalogs, on %s', protocolVersion => {
  it('declares them, and serves entries that are added later [tools.capability-declared resources.capability-declared prompts.capability-declared]', async () => {
    const server = createServer({ name: 's', version: '1', tools: {}, prompts: {}, resources: {} });
    const client = await connectPair(server, { protocolVersion, cacheSize: 0 });
    expect(client.server.capabilities).toMatchObject({ tools: {}, prompts: {}, resources: {} });
    for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'] as const)
      await expect(client.call(method)).resolves.toBeTruthy();
    server.tools.set('t', tool({ run: () => 'called' }));
    server.prompts.set('p', prompt({ run: () => 'got' }));
    server.resources.set('a:1', resource({ read: () => 'read' }));
    expect(await client.callTool('t')).toMatchObject({ content: [{ text: 'called' }] });
    expect(await client.call('prompts/get', { name: 'p' })).toMatchObject({ messages: [{ content: { text: 'got' } }] });
    expect(await client.readResource('a:1')).toMatchObject({ contents: [{ text: 'read' }] });
    await client.close();
  });
});

describe('a server that offers nothing of a kind', () => {
  const nothing = { tools: undefined, prompts: undefined, resources: undefined, logging: false } as const;

  it('declares no capability, and responds method not found [tools.capability-declared resources.capability-declared prompts.capability-declared logging.capability-declared tools.not-declared-method-not-found resources.not-declared-method-not-found prompts.not-declared-method-not-found discover.capabilities-match-behaviour completion.capability-declared]', async () => {
    const { ask, open } = await start(nothing);
    expect(await ask('server/discover', { _meta: details })).toMatchObject({ result: { capabilities: {} } });
    expect((await open()).result).toMatchObject({ capabilities: {} });
    const methods = [
      'tools/list',
      'tools/call',
      'resources/list',
      'resources/templates/list',
      'resources/read',
      'resources/subscribe',
      'prompts/list',
      'prompts/get',
      'completion/complete',
      'logging/setLevel',
    ];
    for (const method of methods)
      expect(await ask(method, { name: 'x', uri: 'x', level: 'info' })).toMatchObject({ error: { code: -32601 } });
  });
});

describe('a request that the transport has classified', () => {
  it('belongs to the session, also if its `_meta` names a version', async () => {
    const receivers: MessageReceiver[] = [];
    const sent: unknown[] = [];
    await createServer({ name: 's', version: '1', tools: { t: tool({ run: () => 'ok' }) } }).connect({
      peer: 'test',
      open: receiver => void receivers.push(receiver),
      send: message => void sent.push(message),
      close() {},
    });
    const request = { ...v, id: 1, method: 'tools/list', params: { _meta: details } };
    const checkedRequest = { ...request, id: 2 };
    receivers[0]?.onMessage(request);
    await soon();
    receivers[0]?.onMessage(checkedRequest, { checkedRequest });
    await soon();
    expect(sent).toMatchObject([
      { id: 1, result: { resultType: 'complete' } },
      { id: 2, error: { code: -32602 } },
    ]);
  });
});
