import { createHost } from '@tenon/host';
import { type Client, type ClientOptions, type CreateMessageResult, connect } from 'tenon';
import { serveHttp } from 'tenon/node';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bundle } from '../support/bundle.js';
import { createCountingServer } from './counting-server.js';

const VERSIONS = ['2026-07-28', '2025-11-25'];
const TRANSPORTS = ['memory', 'stdio', 'http'] as const;

let program = '';
beforeAll(() => {
  program = bundle('test/transports/counting-program.ts');
});

async function open(transport: (typeof TRANSPORTS)[number], options: ClientOptions): Promise<Client> {
  if (transport === 'http') {
    const http = await serveHttp(createCountingServer(), { port: 0 });
    onTestFinished(() => http.close({ timeout: 0 }));
    return closeLater(await connect(http.url, options));
  }
  const target = transport === 'stdio' ? { command: process.execPath, args: [program] } : createCountingServer();
  return closeLater(await connect(target, options));
}

function closeLater(client: Client): Client {
  onTestFinished(() => client.close());
  return client;
}

const cycle: { self?: object } = {};
cycle.self = cycle;

/** Values that JSON cannot represent, with their description in the error. */
const values: readonly (readonly [received: string, value: unknown])[] = [
  ['bigint', 10n],
  ['reference to /arguments/x', cycle],
  ['function', () => 1],
  ['symbol', Symbol('s')],
  ['undefined', [undefined]],
  ['Map', new Map([['a', 1]])],
  ['Set', new Set([1])],
  ['invalid Date', new Date(Number.NaN)],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['Uint8Array', new Uint8Array(1)],
  ['bigint', { toJSON: () => 1n }],
];

const unwritable = (pointer: string) => ({
  code: 'call/unwritable',
  peer: expect.stringContaining('counting'),
  received: expect.stringContaining(` at ${pointer}`),
  expected: expect.stringContaining('plain objects'),
  hint: expect.stringMatching(/^pass /),
});

const countCalls = async (client: Client) => (await client.callTool('total')).content;

describe.each(VERSIONS.flatMap(version => TRANSPORTS.map(transport => [transport, version] as const)))(
  'a client over %s on %s',
  (transport, protocolVersion) => {
    it('sends no arguments that JSON would lose, and names the member', async () => {
      const client = await open(transport, { protocolVersion });
      for (const [received, x] of values) {
        const error = await client.callTool('keep', { x }).catch((caught: unknown) => caught);
        expect(error).toMatchObject({ ...unwritable('/arguments/x'), method: 'tools/call' });
        expect(error).toMatchObject({ received: expect.stringMatching(new RegExp(`^${received} at /arguments/x`)) });
      }
      expect(await countCalls(client)).toMatchObject([{ text: '0' }]);
    });

    it('refuses them in every message that the application sends', async () => {
      const client = await open(transport, { protocolVersion });
      const x = 10n;
      const ref = { type: 'ref/prompt' as const, name: 'greet' };
      await expect(client.call('prompts/get', { name: 'greet', arguments: { n: x } } as never)).rejects.toMatchObject(
        unwritable('/arguments/n'),
      );
      await expect(client.complete({ ref, argument: { name: 'n', value: x as never } })).rejects.toMatchObject(
        unwritable('/argument/value'),
      );
      await expect(client.call('com.example/custom', { x })).rejects.toMatchObject(unwritable('/x'));
      await expect(client.notify('com.example/told', { x })).rejects.toMatchObject(unwritable('/x'));
      await expect(client.tasks.start('keep', { x } as never)).rejects.toMatchObject(unwritable('/arguments/x'));
      const meta = { 'com.example/x': x };
      await expect(client.callTool('keep', {}, { meta })).rejects.toMatchObject(unwritable('/_meta/com.example~1x'));
      expect(await countCalls(client)).toMatchObject([{ text: '0' }]);
    });

    it('sends what JSON represents', async () => {
      const client = await open(transport, { protocolVersion });
      const input = { absent: undefined, at: new Date(0), price: { toJSON: () => '1.50' }, list: [null, 0.1, {}] };
      expect(await client.callTool('keep', input)).toMatchObject({ content: [{ text: '1' }] });
    });

    it.skipIf(transport === 'memory').each([
      ['too large', 'x'.repeat(17 * 1024 * 1024), /at most 16777216 bytes|larger than 4194304 bytes/],
      ['nested too deeply', JSON.parse('['.repeat(200) + ']'.repeat(200)), /at most 128 levels|deeper than 128 levels/],
    ])('reports at once that arguments are %s, with the limit, and goes on', async (_, x, limit) => {
      const client = await open(transport, { protocolVersion });
      await expect(client.callTool('keep', { x })).rejects.toMatchObject({
        code: 'peer/error',
        message: expect.stringMatching(limit),
      });
      expect(await countCalls(client)).toMatchObject([{ text: '0' }]);
    });

    it('refuses such members in the response to an input request', async () => {
      const errors: unknown[] = [];
      const sample = (): CreateMessageResult =>
        ({
          role: 'assistant',
          model: 'm',
          content: { type: 'text', text: 'a' },
          _meta: { 'com.example/n': 1n },
        }) as never;
      const client = await open(transport, { protocolVersion, sample });
      client.on('error', error => errors.push(error));
      const outcome = await client.callTool('ask', {}).catch((error: unknown) => error);
      const refusal = { code: 'answer/malformed', received: 'bigint at /_meta/com.example~1n' };
      if (protocolVersion === '2026-07-28') expect(outcome).toMatchObject({ cause: refusal });
      else expect(errors).toContainEqual(expect.objectContaining(refusal));
      expect(await countCalls(client)).toMatchObject([{ text: '0' }]);
    });
  },
);

describe('a host', () => {
  it.each(VERSIONS)('refuses arguments that JSON would lose, on %s', async protocolVersion => {
    const http = await serveHttp(createCountingServer(), { port: 0 });
    onTestFinished(() => http.close({ timeout: 0 }));
    const host = await createHost({
      prefix: 'auto',
      servers: { counting: { url: http.url, protocolVersion } },
      onError: () => {},
    });
    onTestFinished(() => host.close());
    for (const [, x] of values)
      await expect(host.callTool('keep', { x })).rejects.toMatchObject({
        ...unwritable('/arguments/x'),
        peer: expect.stringContaining('tenon-host'),
      });
    expect(await host.callTool('total', {})).toMatchObject({ content: [{ text: '0' }] });
  });
});
