import type { JsonObject } from '@tenon/base';
import { connectPair, fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import type { Middleware, Next, Operation } from '../../handler/operation.js';
import { toolError } from '../../handler/tool-result.js';
import { tool } from '../definitions/tool.js';
import { createServer } from '../server.js';
import { caching } from './caching.js';
import { composeMiddleware, forMethod, selectMiddleware } from './compose-middleware.js';
import { logging, type OperationLogEntry } from './logging.js';
import { rateLimit } from './rate-limit.js';
import { resultSizeLimit } from './result-size-limit.js';
import { timeout } from './timeout.js';

const operation = (
  name = 'a',
  more: Partial<Operation> & { principal?: string; args?: JsonObject } = {},
): Operation => ({
  method: 'tools/call',
  name,
  params: { name, arguments: more.args ?? {} },
  context: {
    auth: more.principal === undefined ? undefined : { principal: more.principal },
    protocolVersion: 'r',
    client: { info: { name: 'app', version: '2' }, capabilities: {} },
    address: '192.0.2.7',
  } as Operation['context'],
  ...more,
});

/** What a layer makes of operations, and how often it let them through. */
function through(
  layer: Middleware,
  core: (operation: Operation) => JsonObject | Promise<JsonObject> = () => ({ content: [] }),
) {
  const passed: Operation[] = [];
  const next: Next = async each => {
    passed.push(each);
    return core(each);
  };
  const run = composeMiddleware([layer], next);
  const outcome = (each: Operation) =>
    run(each).then(
      result => result,
      (error: { rpcCode?: number; data?: unknown; code: string }) => error,
    );
  return { passed, outcome };
}

describe('composeMiddleware', () => {
  it('runs the middleware from the outside in, and back', async () => {
    const log: string[] = [];
    const layer =
      (name: string): Middleware =>
      async (each, next) => {
        log.push(`+${name}`);
        const result = await next(each);
        log.push(`-${name}`);
        return result;
      };
    await composeMiddleware([layer('a'), layer('b')], async () => ({}))(operation());
    expect(log).toEqual(['+a', '+b', '-b', '-a']);
  });

  it('applies `forMethod` to one method only', async () => {
    const only = forMethod('tools/call', () => ({ mine: true }));
    const core = async () => ({ mine: false });
    expect(await composeMiddleware([only], core)(operation())).toEqual({ mine: true });
    expect(await composeMiddleware([only], core)(operation('a', { method: 'ping' }))).toEqual({ mine: false });
    const all: Middleware = (each, next) => next(each);
    const layers = [only, all];
    expect([selectMiddleware(layers, 'tools/call'), selectMiddleware(layers, 'ping')]).toEqual([[only, all], [all]]);
    expect(selectMiddleware(layers, 'ping')).toBe(selectMiddleware(layers, 'ping'));
  });
});

describe('forMethod', () => {
  const pass: Middleware = (each, next) => next(each);
  const create = (method: string) => () =>
    createServer({
      name: 's',
      version: '1',
      use: [forMethod(method, pass)],
      methods: { 'com.example/buy': { run: () => ({}) } },
    });

  it.each(['tools/call', 'tasks/get', 'com.example/buy', 'org.example/other'])('accepts the method %s', method => {
    expect(create(method)).not.toThrow();
  });

  it.each([
    ['tools/cal', 'tools/call'],
    ['tool/call', 'tools/call'],
    ['Tools/Call', 'tools/call'],
    ['com.example/by', 'com.example/buy'],
  ])('refuses %s, which looks like %s', (method, meant) => {
    expect(create(method)).toThrow(
      expect.objectContaining({ code: 'server/definition', hint: `did you mean "${meant}"?` }),
    );
  });

  it('refuses a middleware that is no function', () => {
    expect(() => forMethod('tools/call', undefined as never)).toThrow(
      expect.objectContaining({ code: 'options/invalid' }),
    );
  });
});

describe('rateLimit', () => {
  it.each([[async () => 'a'], [() => undefined], [() => ({})]])(
    'refuses each operation whose key is none: %s',
    async getKey => {
      const { outcome, passed } = through(rateLimit({ burst: 9, perSecond: 1, getKey: getKey as never }));
      expect(await outcome(operation())).toMatchObject({ code: 'server/middleware-options' });
      expect(passed).toEqual([]);
    },
  );

  it('refuses stores that cannot count', () => {
    expect(() => rateLimit({ burst: 1, perSecond: 1, stores: {} as never })).toThrow(
      expect.objectContaining({ code: 'server/middleware-options' }),
    );
  });

  it('allows a burst, and refills with time [tools.security.rate-limited]', async () => {
    const clock = fakeClock();
    const { outcome, passed } = through(rateLimit({ burst: 2, perSecond: 1, clock }));
    for (let n = 0; n < 3; n++) await outcome(operation());
    expect(passed).toHaveLength(2);
    expect(await outcome(operation())).toMatchObject({ rpcCode: 429, data: { retryAfterMs: 1000 } });
    clock.advance(500);
    expect(await outcome(operation())).toMatchObject({ data: { retryAfterMs: 500 } });
    clock.advance(500);
    expect(await outcome(operation())).toEqual({ content: [] });
    clock.advance(3_600_000);
    for (let n = 0; n < 3; n++) await outcome(operation());
    expect(passed).toHaveLength(5);
  });

  it('counts each principal and tool, or each key of `getKey` [completion.security.rate-limited]', async () => {
    const clock = fakeClock();
    const { outcome, passed } = through(rateLimit({ burst: 1, perSecond: 1, clock }));
    for (const each of [
      operation('a'),
      operation('b'),
      operation('a', { principal: 'ann' }),
      operation('a', { method: 'completion/complete' }),
    ]) {
      await outcome(each);
      await outcome(each);
    }
    expect(passed).toHaveLength(4);
    const all = through(rateLimit({ burst: 1, perSecond: 1, clock, getKey: () => '' }));
    await all.outcome(operation('a'));
    expect(await all.outcome(operation('b'))).toMatchObject({ rpcCode: 429 });
  });

  it('ignores requests that open a connection and pings', async () => {
    const { outcome, passed } = through(rateLimit({ burst: 1, perSecond: 1, clock: fakeClock(), getKey: () => '' }));
    for (const method of ['server/discover', 'ping', 'initialize', 'server/discover', 'ping'])
      await outcome(operation('a', { method }));
    expect(passed).toHaveLength(5);
  });

  it('counts each address of anonymous callers; an IPv6 network is one address', async () => {
    const { outcome, passed } = through(rateLimit({ burst: 1, perSecond: 1, clock: fakeClock() }));
    for (const address of ['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2', undefined]) {
      const context = { auth: undefined, address } as Operation['context'];
      await outcome(operation('a', { context }));
      await outcome(operation('a', { context }));
    }
    expect(passed).toHaveLength(4);
  });

  it('remembers the last ten thousand keys', async () => {
    const { outcome, passed } = through(
      rateLimit({ burst: 1, perSecond: 0.001, clock: fakeClock(), getKey: ({ name }) => String(name) }),
    );
    for (let n = 0; n <= 10_000; n++) await outcome(operation(`t${n}`));
    await outcome(operation('t10000'));
    await outcome(operation('t0'));
    expect(passed).toHaveLength(10_002);
  });
});

describe('timeLimit', () => {
  it('rejects in time, and leaves no timer', async () => {
    const clock = fakeClock();
    const { outcome } = through(timeout(100, { clock }), ({ name }) => (name === 'slow' ? new Promise(() => {}) : {}));
    const slow = outcome(operation('slow'));
    const read = outcome(operation('slow', { method: 'resources/read' }));
    clock.advance(100);
    expect(await slow).toMatchObject({ code: 'tool/failed', message: 'The request timed out after 100 ms' });
    expect(await read).toMatchObject({ rpcCode: -32603, message: 'The request timed out after 100 ms' });
    expect(await outcome(operation())).toEqual({});
    expect(clock.timers).toBe(0);
  });

  it('ignores subscriptions', async () => {
    const clock = fakeClock();
    const { outcome } = through(timeout(100, { clock }));
    await outcome(operation('a', { method: 'subscriptions/listen' }));
    expect(clock.timers).toBe(0);
  });
});

describe('resultLimit', () => {
  it('reports a result that is too large to the model or the caller', async () => {
    const big = through(resultSizeLimit(20), () => ({
      content: [{ type: 'text', text: 'x'.repeat(100) }],
      structuredContent: {},
      resultType: 'complete',
    }));
    expect(await big.outcome(operation())).toMatchObject({
      isError: true,
      resultType: 'complete',
      content: [{ text: expect.stringContaining('At most 20 are allowed') }],
    });
    expect(await big.outcome(operation())).not.toHaveProperty('structuredContent');
    expect(await big.outcome(operation('a', { method: 'resources/read' }))).toMatchObject({ rpcCode: -32603 });
    expect(await through(resultSizeLimit(20)).outcome(operation())).toEqual({ content: [] });
  });
});

describe('operationLog', () => {
  it('logs each operation with its outcome and nothing of its contents', async () => {
    const lines: OperationLogEntry[] = [];
    const clock = fakeClock();
    const results: Record<string, () => JsonObject> = {
      ok: () => ({}),
      failed: () => ({ isError: true }),
      asked: () => ({ resultType: 'input_required' }),
      threw: () => {
        throw new Error('secret');
      },
      refused: () => {
        throw toolError('secret');
      },
    };
    const { outcome } = through(
      logging(line => lines.push(line), { clock }),
      ({ name }) => {
        clock.advance(5);
        return results[name ?? '']?.() ?? {};
      },
    );
    for (const name of Object.keys(results)) await outcome(operation(name, { args: { secret: 1 }, principal: 'ann' }));
    expect(lines.map(line => line.outcome)).toEqual(['ok', 'failed', 'asked', 'threw', 'tool/failed']);
    expect(lines[0]).toEqual({
      method: 'tools/call',
      name: 'ok',
      peer: 'app 2 (r, 192.0.2.7)',
      principal: 'ann',
      protocolVersion: 'r',
      ms: 5,
      outcome: 'ok',
    });
    expect(JSON.stringify(lines)).not.toContain('secret');
  });
});

describe('resultCache', () => {
  const clock = fakeClock();
  const counting = (result: JsonObject = {}) =>
    through(caching({ ttl: 100, tools: ['a'], maxEntries: 2, clock }), () => ({ ...result }));

  it('returns the same result to the same principal with the same arguments until it expires [caching.private-not-shared]', async () => {
    const { outcome, passed } = counting();
    await outcome(operation('a', { args: { x: 1, y: 2 }, principal: 'ann' }));
    await outcome(operation('a', { args: { y: 2, x: 1 }, principal: 'ann' }));
    expect(passed).toHaveLength(1);
    await outcome(operation('a', { args: { x: 1, y: 2 }, principal: 'bob' }));
    await outcome(operation('b'));
    await outcome(operation('b'));
    expect(passed).toHaveLength(4);
    clock.advance(100);
    await outcome(operation('a', { args: { x: 1, y: 2 }, principal: 'ann' }));
    expect(passed).toHaveLength(5);
  });

  it('stores no failures and no input requests, and limits its size [caching.interim-no-hints]', async () => {
    for (const result of [{ isError: true }, { resultType: 'input_required' }]) {
      const { outcome, passed } = counting(result);
      await outcome(operation());
      await outcome(operation());
      expect(passed).toHaveLength(2);
    }
    const { outcome, passed } = counting();
    for (const x of [1, 2, 3, 1]) await outcome(operation('a', { args: { x } }));
    expect(passed).toHaveLength(4);
  });
});

describe('middleware of a server', () => {
  it.each(['2026-07-28', '2025-11-25'])(
    'reports a refusal to the model, or returns a result itself, on %s [result.result-type-complete]',
    async protocolVersion => {
      const messages: JsonObject[] = [];
      const server = createServer({
        name: 's',
        version: '1',
        use: [
          forMethod('tools/call', ({ name }) => {
            if (name === 'refuse') throw toolError('not today');
            return { content: [{ type: 'text', text: 'mine' }] };
          }),
        ],
        tools: { refuse: tool({ run: () => '' }), mine: tool({ run: () => '' }) },
      });
      const client = await connectPair(server, {
        protocolVersion,
        validate: 'off',
        onMessage: (from, message) => from === 'server' && messages.push(message as never),
      });
      expect(await client.callTool('refuse')).toMatchObject({ isError: true, content: [{ text: 'not today' }] });
      expect(await client.callTool('mine')).toMatchObject({ content: [{ text: 'mine' }] });
      const [{ result }] = messages.slice(-1) as [{ result: JsonObject }];
      expect(result.resultType).toBe(protocolVersion === '2026-07-28' ? 'complete' : undefined);
      await client.close();
    },
  );

  it('gets -32602 for params that it made invalid', async () => {
    const server = createServer({
      name: 's',
      version: '1',
      use: [
        forMethod('tools/call', (operation, next) => next({ ...operation, params: { ...operation.params, name: 5 } })),
      ],
      tools: { a: tool({ run: () => '' }) },
    });
    const client = await connectPair(server);
    await expect(client.callTool('a')).rejects.toMatchObject({ rpcCode: -32602 });
    await client.close();
  });
});
