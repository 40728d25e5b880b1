import { connect, createServer, TenonError } from 'tenon';
import { afterEach, describe, expect, it } from 'vitest';
import { type ConnectedCase, hasHandshake, type MatrixCase, matrixCases, openCase } from './matrix.js';
import type { Json } from './wire.js';

const from = (variant: MatrixCase, date: string) => variant.version >= date;
const newest = '2026-07-28';
const opened: ConnectedCase[] = [];

async function start(...parameters: Parameters<typeof openCase>): Promise<ConnectedCase> {
  const rig = await openCase(...parameters);
  opened.push(rig);
  return rig;
}

afterEach(async () => {
  const all = opened.splice(0);
  await Promise.all(all.map(rig => rig.close()));
  for (const rig of all) expect(rig.wire.issues).toEqual([]);
});

const messages = ({ wire }: ConnectedCase): (Json & { by: string })[] =>
  wire.crossings.map(({ from: by, value }) => ({ ...(value as Json), by }));

describe.each(
  matrixCases.filter(hasHandshake).map(variant => [`${variant.transport} ${variant.version}`, variant] as const),
)('%s', (_, variant) => {
  it('opens with a handshake in the form of the protocol version [lifecycle.initialize-first, schema.type.jsonrpc-request, schema.type.jsonrpc-notification, schema.type.jsonrpc-result-response, lifecycle.initialize.client-content, lifecycle.initialize.server-responds, lifecycle.initialized-notification, lifecycle.version.client-sends-supported, lifecycle.version.server-echoes, lifecycle.initialize-not-batched, lifecycle.capabilities.features-advertised, schema.const.protocol-version, schema.request.initialize, schema.result.initialize, schema.notification.initialized, schema.type.implementation, schema.type.implementation.title, schema.type.implementation.description, schema.capability.client.experimental, schema.capability.server.experimental, schema.capability.server.logging, schema.capability.server.prompts, schema.capability.server.resources, schema.capability.server.tools, schema.capability.server.completions, compat.server-initialize-selects-legacy, compat.legacy-client-dual-era-server]', async () => {
    const rig = await start(variant, {
      name: 'probe',
      version: '9',
      title: 'Probe',
      icons: [{ src: 'https://example.com/p.png' }],
      experimental: { thing: {} },
    });
    await rig.client.ping();
    const [request, answer, notice] = messages(rig);
    expect(request).toMatchObject({
      by: 'client',
      method: 'initialize',
      params: { protocolVersion: variant.version, capabilities: { experimental: { thing: {} } } },
    });
    const { clientInfo } = (request as Json).params as { clientInfo: Json };
    expect(clientInfo).toMatchObject({ name: 'probe', version: '9' });
    expect(['title' in clientInfo, 'icons' in clientInfo]).toEqual([
      from(variant, '2025-06-18'),
      from(variant, '2025-11-25'),
    ]);
    expect(answer).toMatchObject({
      by: 'server',
      id: request?.id,
      result: { protocolVersion: variant.version, instructions: 'Ask before you act.' },
    });
    const { serverInfo, capabilities } = (answer as Json).result as { serverInfo: Json; capabilities: Json };
    expect(Object.keys(serverInfo).sort()).toEqual(
      [
        'name',
        'version',
        ...(from(variant, '2025-06-18') ? ['title'] : []),
        ...(from(variant, '2025-11-25') ? ['description', 'icons', 'websiteUrl'] : []),
      ].sort(),
    );
    expect(capabilities).toMatchObject({
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      logging: {},
    });
    expect('completions' in capabilities).toBe(from(variant, '2025-03-26'));
    expect(notice).toMatchObject({ by: 'client', method: 'notifications/initialized' });
    expect(messages(rig).filter(({ method }) => method === 'notifications/initialized').length).toBe(1);
    expect(rig.client.server).toMatchObject({
      protocolVersion: variant.version,
      info: { name: 'example' },
      instructions: 'Ask before you act.',
    });
  });

  it('names the protocol version in a header on HTTP', async () => {
    const { wire, client } = await start(variant);
    await client.ping();
    const versions = wire.exchanges
      .filter(({ method }) => method === 'POST')
      .map(
        ({ headers }) => Object.entries(headers).find(([name]) => name.toLowerCase() === 'mcp-protocol-version')?.[1],
      );
    const stated = variant.transport === 'http' && from(variant, '2025-06-18');
    expect(versions[0]).toBeUndefined();
    for (const version of versions.slice(1)) expect(version).toBe(stated ? variant.version : undefined);
  });
});

describe.each(
  matrixCases
    .filter(variant => !hasHandshake(variant))
    .map(variant => [`${variant.transport} ${variant.version}`, variant] as const),
)('%s', (_, variant) => {
  it('opens without a handshake, with metadata in each request [discover.implemented, discover.request-shape, discover.result-shape, discover.supported-versions-complete, discover.capabilities-match-behaviour, prompts.capability-in-discover, meta.params-required, meta.protocol-version-required, meta.client-capabilities-required, meta.result-meta-shape, versioning.declared-per-request, versioning.version-format, compat.modern-definition, compat.client-no-session-id, caching.hints-required, base.removed-notifications-not-sent]', async () => {
    const rig = await start(variant, { name: 'probe', version: '9' });
    await rig.client.ping();
    const [request, answer] = messages(rig);
    expect(request).toMatchObject({
      method: 'server/discover',
      params: {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': newest,
          'io.modelcontextprotocol/clientCapabilities': {},
          'io.modelcontextprotocol/clientInfo': { name: 'probe', version: '9' },
        },
      },
    });
    expect(Object.keys(request?.params as Json)).toEqual(['_meta']);
    const { supportedVersions, capabilities, ttlMs, cacheScope, resultType, instructions, _meta } = (answer as Json)
      .result as Json;
    expect(supportedVersions).toEqual(['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']);
    expect([ttlMs, cacheScope, resultType, instructions]).toEqual([0, 'private', 'complete', 'Ask before you act.']);
    expect(Object.keys(capabilities as Json).sort()).toEqual([
      'completions',
      'experimental',
      'extensions',
      'logging',
      'prompts',
      'resources',
      'tools',
    ]);
    expect((_meta as Json)['io.modelcontextprotocol/serverInfo']).toMatchObject({ name: 'example', title: 'Example' });
    expect(messages(rig).some(({ method }) => method === 'initialize' || method === 'notifications/initialized')).toBe(
      false,
    );
    for (const { headers, method } of rig.wire.exchanges) {
      const names = Object.keys(headers).map(name => name.toLowerCase());
      expect([method, names.includes('mcp-session-id'), names.includes('mcp-protocol-version')]).toEqual([
        'POST',
        false,
        true,
      ]);
    }
  });
});

describe.each(matrixCases.map(variant => [`${variant.transport} ${variant.version}`, variant] as const))(
  'gates: %s',
  (_, variant) => {
    it('prevents a client from using undeclared capabilities, and the server from responding to it [lifecycle.operation.negotiated-capabilities-only, lifecycle.capabilities.honoured-all-session, tools.not-declared-method-not-found, resources.not-declared-method-not-found, prompts.not-declared-method-not-found, base.error.method-not-found, resources.subscribe.needs-capability, discover.capabilities-match-behaviour, base.core-always-supported, base.core-layers-mandatory]', async () => {
      const rig = await start(variant, {}, { nothing: true });
      const { client, wire } = rig;
      wire.rewind();
      expect(client.server.capabilities).toEqual({});
      const calls = [
        'tools/list',
        'tools/call',
        'prompts/list',
        'prompts/get',
        'resources/list',
        'resources/read',
        'resources/templates/list',
        'completion/complete',
      ];
      for (const method of calls) await expect(client.call(method)).rejects.toMatchObject({ code: 'call/not-offered' });
      expect(wire.crossings).toEqual([]);
      await client.ping();
    });

    it('prevents a client from calling methods that its protocol version does not have [base.removed-methods-unknown, schema.union.client-requests, resources.subscribe-rpc-removed]', async () => {
      const { client, wire } = await start(variant);
      wire.rewind();
      const handshake = hasHandshake(variant);
      const absent = handshake
        ? ['server/discover', 'subscriptions/listen']
        : ['ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', 'initialize'];
      for (const method of [...absent, 'sampling/createMessage', 'roots/list']) {
        await expect(client.call(method)).rejects.toMatchObject({ code: 'call/not-in-version' });
      }
      expect(wire.crossings).toEqual([]);
    });

    it('requests only input that the client supports [elicitation.mode.only-supported, elicitation.capability.empty-is-form, sampling.tools.not-sent-undeclared, schema.union.server-requests]', async () => {
      const { client, wire } = await start(variant);
      wire.rewind();
      for (const tool of ['formed', 'visits', 'samples', 'rooted'] as const) {
        const text = await client.callTool(tool).then(
          ({ isError, content }) => isError && JSON.stringify(content),
          error => (error as TenonError).message,
        );
        expect(text).toMatch(/does not support|Missing required client capability/);
      }
      const requests = messages({ wire } as ConnectedCase).filter(
        ({ by, method, id, result }) =>
          by === 'server' && ((method && id !== undefined) || (result as Json | undefined)?.inputRequests),
      );
      expect(requests).toEqual([]);
    });

    it('rejects methods of an extension for a client that did not declare it [versioning.extension-fallback, versioning.extension-id-rules]', async () => {
      const { client } = await start(variant);
      await expect(client.call('notes/count')).rejects.toMatchObject({
        rpcCode: -32021,
        data: { requiredCapabilities: { extensions: { 'com.example/notes': {} } } },
      });
    });
  },
);

/** A server that answers a probe with something, or not at all, and a handshake with a protocol version. */
function impostor(probed: object | undefined, protocolVersion: string) {
  const sent: string[] = [];
  let closed = false;
  let receive: (value: unknown) => void = () => {};
  const channel = {
    peer: 'impostor',
    open(receiver: { onMessage(value: unknown): void }) {
      receive = value => receiver.onMessage(value);
    },
    send(message: { id?: number; method: string }) {
      sent.push(message.method);
      const result = { protocolVersion, capabilities: {}, serverInfo: { name: 's', version: '1' } };
      const answer =
        message.method === 'initialize' ? { result } : message.method === 'server/discover' ? probed : undefined;
      if (answer) queueMicrotask(() => receive({ jsonrpc: '2.0', id: message.id, ...answer }));
    },
    close() {
      closed = true;
    },
  };
  return { channel, sent, closed: () => closed };
}

describe('negotiation', () => {
  const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

  it.each(versions)(
    'finds %s by itself, with a server that has nothing else [compat.stdio-probe-discover-result]',
    async version => {
      const server = createServer({ name: 'one', version: '1', protocolVersions: [version], onError: () => {} });
      const client = await connect(server);
      expect(client.server.protocolVersion).toBe(version);
      await client.ping();
      await client.close();
    },
  );

  it.each(
    versions.slice(0, 4).flatMap(served => versions.slice(0, 4).map(requestedUrl => [served, requestedUrl] as const)),
  )(
    'returns the version of a server that has %s to a client that requests %s [lifecycle.version.server-counteroffer, lifecycle.version.server-echoes]',
    async (served, requestedUrl) => {
      const server = createServer({ name: 'one', version: '1', protocolVersions: [served], onError: () => {} });
      const connecting = connect(server, { protocolVersion: requestedUrl });
      if (served === requestedUrl) return expect((await connecting).server.protocolVersion).toBe(requestedUrl);
      const error = await connecting.catch(error => error);
      expect(error).toMatchObject({ code: 'connect/no-shared-version' });
      expect((error as TenonError).received).toBe(served);
    },
  );

  it('ends without `initialized` when the server chooses an unsupported protocol version [lifecycle.version.client-disconnects]', async () => {
    const server = impostor({ error: { code: -32601, message: 'no' } }, '1999-01-01');
    await expect(connect(server.channel as never)).rejects.toMatchObject({
      code: 'connect/no-shared-version',
      received: '1999-01-01',
    });
    expect(server.sent).toEqual(['server/discover', 'initialize']);
    expect(server.closed()).toBe(true);
  });

  it.each([-32601, -32602, -32600, -32000, -32002, -32099, -1, undefined])(
    'falls back to a handshake after the error %s, or without a response to a probe [compat.stdio-probe-other-error, compat.stdio-probe-not-one-code, compat.client-anything-else-is-legacy, errors.legacy-range-no-meaning]',
    async code => {
      const server = impostor(code === undefined ? undefined : { error: { code, message: 'no' } }, '2025-03-26');
      const client = await connect(server.channel as never, { probeTimeout: 20 });
      expect(client.server.protocolVersion).toBe('2025-03-26');
      expect(server.sent.filter(method => method !== 'notifications/cancelled')).toEqual([
        'server/discover',
        'initialize',
        'notifications/initialized',
      ]);
      await client.close();
    },
  );

  it('never cancels initialize, even after a timeout [cancellation.not-initialize]', async () => {
    const server = impostor(undefined, '');
    const silent = { ...server.channel, send: (message: { method: string }) => void server.sent.push(message.method) };
    await expect(connect(silent as never, { protocolVersion: '2025-06-18', totalTimeout: 20 })).rejects.toMatchObject({
      code: 'call/timeout',
    });
    expect(server.sent).toEqual(['initialize']);
  });

  it('names the versions of both sides if they share none [compat.stdio-probe-modern-error, compat.client-recognised-modern-error, compat.supported-lists-legacy-versions]', async () => {
    const both = createServer({
      name: 'two',
      version: '1',
      protocolVersions: ['2025-06-18', '2024-11-05'],
      onError: () => {},
    });
    expect((await connect(both)).server.protocolVersion).toBe('2025-06-18');
    await expect(connect(both, { protocolVersion: newest })).rejects.toBeInstanceOf(TenonError);
    const none = createServer({ name: 'two', version: '1', protocolVersions: [newest], onError: () => {} });
    await expect(connect(none, { protocolVersion: '2025-06-18' })).rejects.toBeInstanceOf(TenonError);
  });
});
