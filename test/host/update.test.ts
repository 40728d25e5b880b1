import { ask, createAudit, createHost, deny } from '@tenon/host';
import { connectPair, fakeClock } from '@tenon/testing';
import { type Client, createServer, prompt, tool } from 'tenon';
import { afterEach, describe, expect, it } from 'vitest';
import { retryUntilPasses } from '../interop/retry.js';
import { advanceTime } from './host-fixture.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const createShop = (price: string) =>
  createServer({ name: 'shop', version: '1.0.0', tools: { price: tool({ run: () => price }) } });

/** A server whose tool waits until it is told to end. */
function createSlowServer() {
  let finish = () => {};
  let begun = () => {};
  const isRunning = new Promise<void>(resolve => {
    begun = resolve;
  });
  const done = new Promise<void>(resolve => {
    finish = resolve;
  });
  const run = async () => {
    begun();
    await done;
    return 'finished';
  };
  const service = createServer({ name: 'slow', version: '1.0.0', tools: { wait: tool({ run }) } });
  return { service, isRunning, finish: () => finish() };
}

async function openHost(options: Parameters<typeof createHost>[0]) {
  const host = await createHost(options);
  closing.push(() => host.close());
  const client = await connectPair(host.toServer());
  closing.push(() => client.close());
  const listNames = async () => {
    const names: string[] = [];
    for await (const { name } of client.listTools()) names.push(name);
    return names;
  };
  return { host, client, listNames };
}

it('adds, changes and removes servers of a running host, and returns what it did', async () => {
  const corner = { service: createShop('3') };
  const { host, client, listNames } = await openHost({ servers: { corner, market: { service: createShop('4') } } });
  expect(await listNames()).toEqual(['corner__price', 'market__price']);
  const changes = host.update({
    servers: { harbour: { service: createShop('5') }, corner: { service: createShop('6') } },
  });
  expect(changes).toEqual({ added: ['harbour'], removed: ['market'], changed: ['corner'] });
  expect(await listNames()).toEqual(['harbour__price', 'corner__price']);
  expect(await client.callTool('corner__price')).toMatchObject({ content: [{ text: '6' }] });
  await expect(client.callTool('market__price')).rejects.toMatchObject({ rpcCode: -32602 });
  expect(host.getServers().map(({ name }) => name)).toEqual(['harbour', 'corner']);
});

it('completes running calls of a removed server, and keeps the connections of other servers', async () => {
  const slow = createSlowServer();
  const corner = { service: createShop('3') };
  const { host, client } = await openHost({ servers: { slow: { service: slow.service }, corner } });
  const calling = client.callTool('slow__wait');
  await slow.isRunning;
  await client.callTool('corner__price');
  expect(host.update({ servers: { corner: { ...corner } } })).toEqual({ added: [], removed: ['slow'], changed: [] });
  expect(host.getServers()).toMatchObject([{ name: 'corner', state: 'connected' }]);
  slow.finish();
  expect(await calling).toMatchObject({ content: [{ text: 'finished' }] });
});

describe('an update between the selection of a server and the request', () => {
  const createReader = (text: string) =>
    createServer({
      name: 'reader',
      version: '1.0.0',
      tools: { read: tool({ run: () => text }) },
      prompts: { read: prompt({ run: () => text }) },
      resources: { 'note://one': { name: 'one', read: () => text } },
    });

  /** A host whose audit log is written only when the test says so. */
  async function openAuditedHost() {
    let hold: Promise<void> | undefined;
    const lines: string[] = [];
    const audit = await createAudit({
      async append(line) {
        lines.push(line);
        await hold;
      },
    });
    const { host, client } = await openHost({ servers: { reader: { service: createReader('first') } }, audit });
    const holdAudit = () => {
      let release = () => {};
      hold = new Promise<void>(resolve => {
        release = resolve;
      });
      return () => {
        hold = undefined;
        release();
      };
    };
    const update = () => host.update({ servers: { reader: { service: createReader('second') } } });
    return { host, client, lines, holdAudit, update };
  }

  it.each(['tools/call', 'prompts/get', 'resources/read'] as const)(
    'leaves %s at the former server, which stays open until then',
    async method => {
      const { client, lines, holdAudit, update } = await openAuditedHost();
      const send = () => {
        if (method === 'tools/call') return client.callTool('reader__read');
        return method === 'prompts/get' ? client.getPrompt('reader__read') : client.readResource('note://one');
      };
      expect(JSON.stringify(await send())).toContain('first');
      const before = lines.length;
      const release = holdAudit();
      const sending = send();
      await retryUntilPasses(() => expect(lines.length).toBeGreaterThan(before));
      update();
      release();
      expect(JSON.stringify(await sending)).toContain('first');
      expect(JSON.stringify(await send())).toContain('second');
    },
  );

  it('resolves and authorizes a call again if its approval takes longer than the former server stays open', async () => {
    const clock = fakeClock();
    const start = clock.now();
    const requests: string[] = [];
    let approve = () => {};
    const approved = new Promise<boolean>(resolve => {
      approve = () => resolve(true);
    });
    const { host, client } = await openHost({
      clock,
      servers: { reader: { service: createReader('first') } },
      policy: [ask('reader/read')],
      approve: async ({ name }) => requests.push(name) > 1 || approved,
    });
    const calling = client.callTool('reader__read');
    await retryUntilPasses(() => expect(requests).toEqual(['read']));
    host.update({ servers: { reader: { service: createReader('second') } } });
    await retryUntilPasses(() => {
      clock.advance(1000);
      expect(clock.now()).toBeGreaterThan(start + 12_000);
    });
    approve();
    expect(JSON.stringify(await calling)).toContain('second');
    expect(requests).toEqual(['read', 'read']);
  });
});

describe('an update while servers start', () => {
  /** Creates a server that opens when the test says so. */
  function createStarting(text: string) {
    let open = () => {};
    let begin = () => {};
    const opened = new Promise<void>(resolve => {
      open = resolve;
    });
    const isStarting = new Promise<void>(resolve => {
      begin = resolve;
    });
    const service = createServer({
      name: 'reader',
      version: '1.0.0',
      tools: { read: tool({ run: () => text }) },
      prompts: { read: prompt({ run: () => text }) },
      resources: { 'note://one': { name: 'one', read: () => text } },
    });
    const beforeStart = async () => {
      begin();
      await opened;
    };
    return { server: { service, beforeStart }, isStarting, open: () => open() };
  }
  const sendByMethod: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
    'tools/call': client => client.callTool('read'),
    'prompts/get': client => client.getPrompt('read'),
    'resources/read': client => client.readResource('note://one'),
  };

  it.each(Object.keys(sendByMethod))(
    'waits for the replaced server with %s, when names have no prefix',
    async method => {
      const clock = fakeClock();
      const [corner, first] = [{ service: createShop('3') }, createStarting('first')];
      first.open();
      const servers = { corner, reader: first.server };
      const { host, client } = await openHost({ clock, prefix: 'never', servers });
      const send = () => sendByMethod[method]?.(client);
      expect(JSON.stringify(await send())).toContain('first');
      const next = createStarting('next');
      host.update({ servers: { corner, reader: next.server } });
      const sending = send();
      await next.isStarting;
      const pricing = client.callTool('price');
      await advanceTime(clock, pricing);
      expect(await pricing).toMatchObject({ content: [{ text: '3' }] });
      next.open();
      expect(JSON.stringify(await sending)).toContain('next');
    },
  );

  it.each([
    ['always', 'reader__read'],
    ['never', 'read'],
  ] as const)('answers a call while updates follow faster than servers start, with prefix %s', async (prefix, name) => {
    const clock = fakeClock();
    const corner = { service: createShop('3') };
    const starting = ['0', '1', '2', '3', '4', '5', '6'].map(createStarting);
    closing.push(async () => starting.forEach(({ open }) => open()));
    const [first, ...later] = starting.map(({ server }) => ({ corner, reader: server }));
    const { host, client } = await openHost({ clock, prefix, servers: first ?? {} });
    const calling = client.callTool(name);
    for (const [at, servers] of later.entries()) {
      await Promise.race([calling, starting[at]?.isStarting]);
      host.update({ servers });
      // A server that nobody waits for is closed in this time.
      clock.advance(60);
      starting[at]?.open();
    }
    // The server of the last update has not started.
    expect(await calling).toMatchObject({ content: [{ text: expect.stringMatching(/^[1-5]$/) }] });
  });
});

it('notifies clients that lists have changed', async () => {
  const { host, client } = await openHost({ servers: { corner: { service: createShop('3') } } });
  let changes = 0;
  const stop = new AbortController();
  const watching = (async () => {
    for await (const _ of client.watch({ tools: true }, { signal: stop.signal })) changes += 1;
  })();
  closing.push(async () => {
    stop.abort();
    await watching;
  });
  await client.callTool('corner__price');
  host.update({ servers: {} });
  await retryUntilPasses(() => expect(changes).toBeGreaterThan(0));
});

it('applies other tool filters without another connection, and a policy to later calls', async () => {
  const service = createShop('3');
  const { host, client, listNames } = await openHost({ servers: { corner: { service } } });
  expect(await listNames()).toEqual(['corner__price']);
  expect(host.update({ servers: { corner: { service, tools: { exclude: ['price'] } } } }).changed).toEqual(['corner']);
  expect(host.getServers()).toMatchObject([{ state: 'connected' }]);
  expect(await listNames()).toEqual([]);
  host.update({ servers: { corner: { service } } });
  host.update({ policy: [deny('corner/price', { because: 'sold out' })] });
  expect(await client.callTool('corner__price')).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('sold out') }],
  });
});

it('stays unchanged when a rule of the update is invalid', async () => {
  const { host, client } = await openHost({ servers: { corner: { service: createShop('3') } } });
  const update = { servers: {}, policy: [{ action: 'maybe' }] } as never;
  expect(() => host.update(update)).toThrow(expect.objectContaining({ code: 'policy/rule' }));
  expect(await client.callTool('corner__price')).toMatchObject({ content: [{ text: '3' }] });
});
