import { createHost } from '@tenon/host';
import {
  type CallOptions,
  type ClientOptions,
  connect,
  createServer,
  memoryStores,
  prompt,
  resource,
  tasks,
  tool,
} from 'tenon';
import { serveHttp } from 'tenon/node';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

/** All keys of an options type, each with `undefined`. Compiles only when every option accepts that. */
type Undefined<T> = { readonly [K in keyof T as undefined extends T[K] ? K : never]-?: undefined };

const SERVER = {
  title: undefined,
  description: undefined,
  websiteUrl: undefined,
  icons: undefined,
  instructions: undefined,
  methods: undefined,
  use: undefined,
  protocolVersions: undefined,
  experimental: undefined,
  acceptBatches: undefined,
  pageSize: undefined,
  listFilter: undefined,
  cache: undefined,
  stores: undefined,
  rateLimits: undefined,
  logging: undefined,
  onRootsChanged: undefined,
  keepAlive: undefined,
  onError: undefined,
  clock: undefined,
  telemetry: undefined,
};
const COMMON = { title: undefined, description: undefined, icons: undefined, _meta: undefined, visible: undefined };
const NEEDS = { requiredCapabilities: undefined, scopes: undefined };
const INPUT_REQUESTS = {
  keys: undefined,
  ttl: undefined,
  maxRounds: undefined,
  maxStateSize: undefined,
  maxSuspended: undefined,
  suspendTimeout: undefined,
};
const TASKS = {
  ttl: undefined,
  maxTtl: undefined,
  pollInterval: undefined,
  maxRunning: undefined,
  maxOpen: undefined,
  leaseTtl: undefined,
  list: undefined,
};

const server = createServer({
  name: 'notes',
  version: '1',
  ...SERVER,
  inputRequests: INPUT_REQUESTS,
  extensions: [tasks(TASKS)],
  tools: {
    double: tool({
      ...COMMON,
      ...NEEDS,
      annotations: { title: undefined, readOnlyHint: undefined },
      task: { support: undefined, after: undefined, ttl: undefined, version: undefined, pollInterval: undefined },
      input: z.object({ n: z.number() }),
      output: z.object({ n: z.number() }),
      run: ({ n }) => ({ n: 2 * n }),
    }),
    now: tool({ input: undefined, output: undefined, run: () => 'now' }),
  },
  prompts: { plain: prompt({ ...COMMON, ...NEEDS, input: undefined, complete: undefined, run: () => 'x' }) },
  resources: {
    'note://{id}': resource({
      ...COMMON,
      ...NEEDS,
      name: undefined,
      mimeType: undefined,
      annotations: undefined,
      size: undefined,
      cache: undefined,
      list: undefined,
      complete: undefined,
      subscribe: undefined,
      allowUnsafe: undefined,
      read: ({ id }) => id,
    }),
  },
});

const CLIENT: Undefined<
  Omit<
    ClientOptions,
    'protocolVersion' | 'forwarder' | 'getOpenSignal' | 'openTimeout' | 'preferredVersion' | 'sharedSession'
  >
> = {
  name: undefined,
  version: undefined,
  title: undefined,
  icons: undefined,
  elicit: undefined,
  elicitUrl: undefined,
  sample: undefined,
  sampleTools: undefined,
  roots: undefined,
  extensions: undefined,
  tasks: undefined,
  experimental: undefined,
  idleTimeout: undefined,
  totalTimeout: undefined,
  probeTimeout: undefined,
  maxRounds: undefined,
  answerTimeout: undefined,
  validate: undefined,
  strict: undefined,
  assumeCapabilities: undefined,
  logLevel: undefined,
  cacheSize: undefined,
  completion: undefined,
  versionCache: undefined,
  keepAlive: undefined,
  copyMessages: undefined,
  caller: undefined,
  clock: undefined,
  telemetry: undefined,
  onMessage: undefined,
  wrapTransport: undefined,
};

const CALL: Undefined<
  Omit<
    CallOptions,
    'allowReservedMeta' | 'onStreamClosed' | 'onRequestId' | 'onPage' | 'onListMissing' | 'onTaskCreated'
  >
> = {
  signal: undefined,
  onProgress: undefined,
  onTask: undefined,
  idleTimeout: undefined,
  totalTimeout: undefined,
  meta: undefined,
  idempotent: undefined,
  resolveInputRequests: undefined,
};

describe('undefined options', () => {
  it('use the defaults of a server, a client and a call', async () => {
    const client = await connect<typeof server>(server, { ...CLIENT, protocolVersion: undefined });
    expect(await client.tools.double({ n: 2 }, CALL)).toEqual({ n: 4 });
    expect(await client.tools.now({}, CALL)).toMatchObject({ content: [{ text: 'now' }] });
    expect(await client.prompts.plain({}, CALL)).toMatchObject({ messages: [{ content: { text: 'x' } }] });
    expect(await client.readResource('note://a', CALL)).toMatchObject({ contents: [{ text: 'a' }] });
    await client.close();
  });

  it('use the defaults of an HTTP server and its target', async () => {
    const limits = {
      maxBodyBytes: undefined,
      maxJsonDepth: undefined,
      maxBatch: undefined,
      maxSessions: undefined,
      maxStreams: undefined,
    };
    const http = await serveHttp(server, {
      port: 0,
      host: undefined,
      path: undefined,
      limits,
      auth: undefined,
      clock: undefined,
    });
    const target = { url: http.url, auth: undefined, headers: undefined, transport: undefined, fetch: undefined };
    const resume = { maxAttempts: undefined, initialDelay: undefined, maxDelay: undefined, maxElapsed: undefined };
    for (const protocolVersion of ['2025-11-25', '2026-07-28']) {
      const client = await connect(
        { ...target, resume, listen: resume, maxMessageSize: undefined },
        { ...CLIENT, protocolVersion },
      );
      expect(await client.callTool('double', { n: 2 })).toMatchObject({ structuredContent: { n: 4 } });
      await client.close();
    }
    await http.close();
  });

  it('use the defaults of a host', async () => {
    const stores = memoryStores({ clock: undefined });
    const host = await createHost({
      servers: { notes: { service: server, disabled: undefined, tools: undefined, idleTimeout: undefined } },
      name: undefined,
      version: undefined,
      prefix: undefined,
      startTimeout: undefined,
      listTimeout: undefined,
      connectionIdleTimeout: undefined,
      maxConnectionsPerServer: undefined,
      maxShare: undefined,
      pageSize: undefined,
      budget: undefined,
      credentials: undefined,
      stores,
      inputRequests: INPUT_REQUESTS,
      tasks: TASKS,
      rateLimits: undefined,
      policy: undefined,
      audit: undefined,
      output: { maxTotal: undefined, maxText: undefined },
      onError: undefined,
      clock: undefined,
    });
    expect(host.client.server.info).toMatchObject({ name: 'tenon-host' });
    expect(await host.callTool('notes__double', { n: 2 })).toMatchObject({ structuredContent: { n: 4 } });
    await host.close();
    await stores.close();
  });
});
