import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { serveHttp } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../support/bundle.js';
import { badServer } from './server.js';
import { alone, type Json, overMemory, overSession, overStdio, overTwoEndpoints, type Wire } from './wire.js';

const v = { jsonrpc: '2.0' };
const call = (name: string, args: unknown = {}, id: unknown = 1): Json => ({
  ...v,
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});
const residentOf = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

describe('a server over stdio', () => {
  let program = '';
  let wire: Wire;
  beforeAll(async () => {
    program = bundle('test/bad-input/stdio-server.ts');
    wire = await overStdio(program);
  });
  afterAll(() => wire.close());

  const well = async () =>
    expect(await wire.send(call('echo', { a: 1 }))).toMatchObject([{ id: 1, result: { content: [{ type: 'text' }] } }]);

  it('joins a character split at any byte [base.utf8-encoding]', async () => {
    const text = 'é€😀𝒳\u2028ü';
    const line = Buffer.from(`${JSON.stringify(call('echo', { text }, 'cut'))}\n`);
    const first = line.indexOf(Buffer.from('é'));
    for (let at = first; at < first + Buffer.byteLength(text) + 1; at++) {
      await wire.bytes?.(line.subarray(0, at));
      await new Promise(resolve => setImmediate(resolve));
      await wire.bytes?.(line.subarray(at));
      const [answer] = await wire.text('');
      expect(answer).toMatchObject({ id: 'cut', result: { content: [{ text: JSON.stringify({ text }) }] } });
    }
  });

  it('reports invalid UTF-8 outside a string as a parse error, and reads other lines [base.error.parse-error]', async () => {
    await wire.bytes?.(Buffer.from([0x7b, 0xff, 0xfe, 0xc3, 0x28, 0x0a]));
    expect(await wire.text('')).toMatchObject([{ error: { code: -32700 } }]);
    await well();
  });

  it.runIf(process.platform === 'linux')(
    'refuses a line of 100 MB without storing it',
    { timeout: 60_000 },
    async () => {
      await well();
      const before = residentOf(wire.pid as number);
      const from = wire.received?.length;
      const chunk = Buffer.alloc(1024 * 1024, 'x');
      await wire.bytes?.(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'));
      let most = 0;
      for (let n = 0; n < 100; n++) {
        await wire.bytes?.(chunk);
        most = Math.max(most, residentOf(wire.pid as number));
      }
      await wire.text('"}');
      expect(wire.received?.slice(from)).toMatchObject([
        { error: { code: -32700 } },
        { id: expect.stringContaining('mark') },
      ]);
      expect(most - before).toBeLessThan(90 * 1024 * 1024);
      await well();
    },
  );

  it('refuses an id that is in use, and completes the call that has it [base.request.id-unique-per-session]', async () => {
    const write = (message: Json) => wire.bytes?.(Buffer.from(`${JSON.stringify(message)}\n`));
    await write(call('waits', {}, 'same'));
    const messages = await wire.send(call('echo', {}, 'same'));
    expect(messages.filter(({ id }) => id === 'same')).toMatchObject([{ error: { code: -32600 } }]);
    expect(await wire.send({ ...v, method: 'notifications/cancelled', params: { requestId: 'same' } })).toEqual([]);
    const [facts] = await wire.send(call('facts'));
    expect(JSON.stringify(facts)).toContain('running\\":0');
    await well();
  });

  it('sends nothing after a cancellation [cancellation.race-safe cancellation.receiver-stops cancellation.stdio-notification progress.stops-after-completion cancellation.server-no-further-messages]', async () => {
    const messages = await wire.send(call('waits', {}, 'c'));
    expect(messages).toMatchObject([{ method: 'notifications/message', params: { data: 'begun' } }]);
    expect(
      await wire.send({ ...v, method: 'notifications/cancelled', params: { requestId: 'c', reason: 'r' } }),
    ).toEqual([]);
    expect(await wire.send({ ...v, method: 'notifications/cancelled', params: { requestId: 'c' } })).toEqual([]);
    await well();
  });

  it('refuses requests other than pings before initialize [lifecycle.initialize-first]', async () => {
    const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdin.end(
      [call('echo'), { ...v, id: 2, method: 'ping' }, [{ ...v, id: 3, method: 'initialize' }]]
        .map(each => JSON.stringify(each))
        .join('\n'),
    );
    let output = '';
    for await (const chunk of child.stdout) output += chunk;
    const answers = output
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(answers).toHaveLength(3);
    expect(answers).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: 1, error: expect.objectContaining({ code: -32602 }) }),
        expect.objectContaining({ id: 2, result: {} }),
        expect.objectContaining({ error: expect.objectContaining({ code: -32600 }) }),
      ]),
    );
  });
});

describe.each([
  ['in memory', () => overMemory('2025-03-26')],
  ['over stdio', async () => overStdio(bundle('test/bad-input/stdio-server.ts'), '2025-03-26')],
  ['over Streamable HTTP', () => overSession('2025-03-26')],
])('a batch %s, on versions with batches', (transport, open) => {
  let wire: Wire;
  beforeAll(async () => {
    wire = await open();
  });
  afterAll(() => wire.close());
  const ping = (id: unknown) => ({ ...v, id, method: 'ping' });

  it('gets one array with a response for each request [base.batch.receive base.batch.response-array]', async () => {
    const batch = [
      ping(1),
      { ...v, method: 'notifications/x' },
      ping('1'),
      { ...v, id: 7, result: {} },
      { ...v, id: 2, method: 'no/such' },
    ];
    const messages = await wire.text(JSON.stringify(batch));
    expect(messages).toHaveLength(3);
    expect(messages).toEqual(
      expect.arrayContaining([
        { ...v, id: 1, result: {} },
        { ...v, id: '1', result: {} },
        expect.objectContaining({ id: 2, error: expect.objectContaining({ code: -32601 }) }),
      ]),
    );
  });

  // Over HTTP what is not well formed is refused with a status, and whole.
  it.runIf(!transport.includes('HTTP'))('gets an error for each malformed entry', async () => {
    const messages = await wire.text(JSON.stringify([1, {}, [ping(1)], ping(2)]));
    expect(messages.filter(({ error }) => (error as Json)?.code === -32600)).toHaveLength(3);
    expect(messages).toContainEqual({ ...v, id: 2, result: {} });
  });

  it('is refused when empty or too long, and gets no response with notifications only', async () => {
    expect(await wire.text('[]')).toMatchObject([{ error: { code: -32600 } }]);
    // Each request of a batch that is too long is refused by its id: its sender would wait for ever.
    const refusals = await wire.text(JSON.stringify(Array.from({ length: 51 }, (_each, id) => ping(id))));
    expect(refusals).toMatchObject(Array.from({ length: 51 }, (_each, id) => ({ id, error: { code: -32600 } })));
    expect(await wire.text(JSON.stringify([{ ...v, method: 'notifications/x' }]))).toEqual([]);
  });

  it('cannot contain initialize [lifecycle.initialize-not-batched]', async () => {
    const initialize = {
      ...v,
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    };
    expect(await wire.text(JSON.stringify([initialize]))).toMatchObject([{ error: { code: -32600 } }]);
    expect(await wire.send(ping(1))).toMatchObject([{ result: {} }]);
  });
});

/** A client that says one thing and goes away, without any manners, when the first of the answer has come. */
async function vanish(url: URL, headers: Record<string, string>, body: string): Promise<void> {
  const socket: Socket = connect(Number(url.port), url.hostname);
  const lines = Object.entries({
    host: url.host,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  });
  socket.write(
    `POST ${url.pathname} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  );
  let heard = '';
  for await (const chunk of socket) {
    heard += chunk;
    if (heard.includes('begun')) break;
  }
  socket.destroy();
}

describe('a client that disconnects during a stream', () => {
  const facts = async (wire: Pick<Wire, 'send'>) => {
    const [answer] = await wire.send(call('facts', {}, 'facts'));
    return JSON.parse((answer as { result: { content: [{ text: string }] } }).result.content[0].text) as {
      aborted: number;
      running: number;
    };
  };

  it('cancels its request where it is stateless [cancellation.http-disconnect-is-cancel cancellation.http-close-stream]', async () => {
    const server = await serveHttp(badServer(), { port: 0 });
    const [body, headers] = alone(call('waits'));
    await vanish(new URL(server.url), { 'mcp-protocol-version': '2026-07-28', ...headers }, body);
    const send = async (message: Json) => {
      const [text, more] = alone(message);
      const response = await fetch(server.url, {
        method: 'POST',
        body: text,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          ...more,
        },
      });
      return [(await response.json()) as Json];
    };
    await expect.poll(async () => (await facts({ send })).aborted).toBe(1);
    expect((await facts({ send })).running).toBe(0);
    await server.close();
  });

  it('does not cancel its request in a session', async () => {
    const wire = await overSession();
    const { url, headers } = wire.http as { url: string; headers: Record<string, string> };
    await vanish(new URL(url), headers, JSON.stringify(call('waits', {}, 'w')));
    for (let n = 0; n < 5; n++) await new Promise(resolve => setTimeout(resolve, 10));
    expect(await facts(wire)).toMatchObject({ aborted: 0, running: 1 });
    await wire.send({ ...v, method: 'notifications/cancelled', params: { requestId: 'w' } });
    await expect.poll(async () => (await facts(wire)).aborted).toBe(1);
    await wire.close();
  });

  it('cancels all requests over HTTP+SSE', async () => {
    const wire = await overTwoEndpoints();
    await wire.send(call('waits', {}, 'w'));
    expect(await facts(wire)).toMatchObject({ running: 1 });
    await wire.close();
  });
});
