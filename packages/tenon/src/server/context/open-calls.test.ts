import type { TenonError } from '@tenon/base';
import { connectPair, protocolVersions } from '@tenon/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { tasks } from '../../extensions/tasks/tasks.js';
import type { Context } from '../../handler/context.js';
import { memoryStores } from '../../stores/memory-stores.js';
import { prompt } from '../definitions/prompt.js';
import { resource } from '../definitions/resource.js';
import { tool } from '../definitions/tool.js';
import { createServer } from '../server.js';

const input = { type: 'object', properties: { a: { type: 'string' } } } as const;
const turns = async () => {
  for (let n = 0; n < 10; n++) await new Promise(resolve => setImmediate(resolve));
};

/** A value that a test sets later. */
function createGate() {
  let open = () => {};
  const opened = new Promise<void>(resolve => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

let unhandled: unknown[] = [];
const listener = (error: unknown) => void unhandled.push(error);
process.on('unhandledRejection', listener);
afterEach(() => {
  expect(unhandled).toEqual([]);
  unhandled = [];
});

async function runTool(protocolVersion: string, run: (ctx: Context) => unknown, options = {}) {
  const errors: TenonError[] = [];
  const server = createServer({
    name: 's',
    version: '1',
    onError: error => void errors.push(error),
    tools: { work: tool({ run: (_, ctx) => run(ctx) as string }) },
  });
  const elicit = async () => ({ action: 'accept' as const, content: { a: 'x' } });
  const client = await connectPair(server, { protocolVersion, elicit, roots: [], ...options });
  const result = await client.callTool('work', {}).catch((error: TenonError) => error);
  await client.close();
  return { result, errors };
}

const failed = { content: [{ text: 'Tool work failed' }], isError: true };
const done = { content: [{ text: 'done' }] };

describe.each(protocolVersions)('a handler on %s', protocolVersion => {
  const forgotten: readonly [string, (ctx: Context) => unknown, string][] = [
    ['step', ctx => void ctx.step('pay', turns), 'step "pay"'],
    ['second step', ctx => ctx.step('a', () => {}).then(() => void ctx.step('b', turns)), 'step "b"'],
    ['form', ctx => void ctx.elicit({ message: 'm', input }), 'input request `elicit`'],
    ['list of roots', ctx => void ctx.roots(), 'input request `roots`'],
  ];

  it.each(forgotten)('fails when it returns before a %s that nobody awaits', async (_, forget, name) => {
    const { result, errors } = await runTool(protocolVersion, async ctx => {
      await forget(ctx);
      return 'done';
    });
    expect(result).toMatchObject(failed);
    expect(errors).toMatchObject([
      { code: 'handler/not-awaited', summary: `the handler returned before its ${name} had ended` },
    ]);
  });

  it('fails also when it returns a value without a promise', async () => {
    const { result, errors } = await runTool(protocolVersion, ctx => {
      void ctx.step('pay', turns);
      return 'done';
    });
    expect(result).toMatchObject(failed);
    expect(errors).toMatchObject([{ code: 'handler/not-awaited' }]);
  });

  it('ends its step before the call fails when nobody awaits it', async () => {
    const effects: string[] = [];
    await runTool(protocolVersion, async ctx => {
      void ctx.step('pay', async () => {
        await turns();
        effects.push('paid');
      });
      return 'done';
    });
    expect(effects).toEqual(['paid']);
  });

  const awaited: readonly [string, (ctx: Context) => unknown][] = [
    ['by `Promise.all`', ctx => Promise.all([ctx.step('a', turns), ctx.step('b', turns)])],
    ['by `Promise.allSettled`', ctx => Promise.allSettled([ctx.step('a', turns)])],
    ['by `Promise.race` with a timeout', ctx => Promise.race([ctx.step('a', () => new Promise(() => {})), turns()])],
    [
      'by `catch` only',
      ctx => void ctx.step('a', () => turns().then(() => Promise.reject(new Error('no')))).catch(() => {}),
    ],
    ['by `finally` only', ctx => void ctx.step('a', turns).finally(() => {})],
    ['by other code that awaits it', ctx => void (async promise => await promise)(ctx.step('a', turns))],
    [
      'by other code that awaits it later',
      ctx => {
        const step = ctx.step('a', turns);
        void turns().then(() => step);
      },
    ],
    [
      'after another step',
      async ctx => {
        const [first, second] = [ctx.step('a', turns), ctx.step('b', () => {})];
        await second;
        await first;
      },
    ],
  ];

  it.each(awaited)('returns its result when its step is awaited %s', async (_, use) => {
    const { result, errors } = await runTool(protocolVersion, async ctx => {
      await use(ctx);
      return 'done';
    });
    expect(result).toMatchObject(done);
    expect(errors).toEqual([]);
  });

  it('returns its result when a list of steps without `await` is passed on in the same turn', async () => {
    const { result } = await runTool(protocolVersion, ctx => {
      void Promise.all([ctx.step('a', turns)]);
      return 'done';
    });
    expect(result).toMatchObject(done);
  });

  it('returns its result when an unawaited step has ended before', async () => {
    const { result } = await runTool(protocolVersion, async ctx => {
      void ctx.step('a', () => {});
      await turns();
      return 'done';
    });
    expect(result).toMatchObject(done);
  });

  it('rejects with its own error despite an unawaited step', async () => {
    const { errors } = await runTool(protocolVersion, async ctx => {
      void ctx.step('a', turns);
      throw new Error('broken');
    });
    expect(errors).toMatchObject([{ code: 'tool/threw', summary: 'broken' }]);
  });

  it('allows middleware to leave a step open', async () => {
    const server = createServer({
      name: 's',
      version: '1',
      tools: { work: tool({ run: () => 'done' }) },
      use: [
        async (operation, next) => {
          const step = operation.method === 'tools/call' ? operation.context.step('log', turns) : undefined;
          const result = await next(operation);
          await step;
          return result;
        },
      ],
    });
    const client = await connectPair(server, { protocolVersion });
    expect(await client.callTool('work', {})).toMatchObject(done);
    await client.close();
  });

  it('gets native promises from steps', async () => {
    const { result } = await runTool(protocolVersion, async ctx => {
      const step = ctx.step('a', () => 1);
      const derived = step.then(value => value);
      expect([step instanceof Promise, derived.constructor === Promise, await step, await derived]).toEqual([
        true,
        true,
        1,
        1,
      ]);
      return 'done';
    });
    expect(result).toMatchObject(done);
  });

  it('fails for an unawaited step in a prompt and a resource too', async () => {
    const errors: TenonError[] = [];
    const forget = (ctx: Context) => {
      void ctx.step('pay', turns);
      return 'text';
    };
    const server = createServer({
      name: 's',
      version: '1',
      onError: error => void errors.push(error),
      prompts: { p: prompt({ run: (_, ctx) => forget(ctx) }) },
      resources: { 'note://a': resource({ read: (_, ctx) => forget(ctx) }) },
    });
    const client = await connectPair(server, { protocolVersion });
    await expect(client.getPrompt('p')).rejects.toMatchObject({ rpcCode: -32603 });
    await expect(client.readResource('note://a')).rejects.toMatchObject({ rpcCode: -32603 });
    expect(errors).toMatchObject([{ code: 'handler/not-awaited' }, { code: 'handler/not-awaited' }]);
    await client.close();
  });
});

describe('an unawaited step that does not end', () => {
  it('delays the error for at most five seconds', async () => {
    const { setTimeout: wait } = globalThis;
    vi.stubGlobal('setTimeout', (run: () => void, ms: number) => wait(run, ms === 5000 ? 0 : ms));
    const gate = createGate();
    const effects: string[] = [];
    const { result } = await runTool('2026-07-28', ctx => {
      void ctx.step('pay', () => gate.opened.then(() => void effects.push('paid')));
      return 'done';
    });
    vi.unstubAllGlobals();
    expect([result, effects]).toMatchObject([failed, []]);
    gate.open();
    await turns();
    expect(effects).toEqual(['paid']);
  });
});

describe.each(['2025-11-25', '2026-07-28'])('a task on %s', protocolVersion => {
  it('fails when its handler returns before a step that nobody awaits', async () => {
    const errors: TenonError[] = [];
    const server = createServer({
      name: 's',
      version: '1',
      onError: error => void errors.push(error),
      extensions: [tasks()],
      tools: {
        work: tool({
          task: 'required',
          run(_, ctx) {
            void ctx.step('pay', turns);
            return 'done';
          },
        }),
      },
    });
    const client = await connectPair(server, { protocolVersion });
    const handle = await client.tasks.start('work', {});
    expect(await handle.toolResult()).toMatchObject(failed);
    expect(errors).toMatchObject([{ code: 'handler/not-awaited' }]);
    await client.close();
  });

  it('stores the outcome of this step before the task ends', async () => {
    const stores = memoryStores();
    const written: string[] = [];
    const put: typeof stores.values.put = (key, value, options) => {
      written.push(JSON.stringify(value));
      return stores.values.put(key, value, options);
    };
    const server = createServer({
      name: 's',
      version: '1',
      onError: () => {},
      stores: { ...stores, values: { ...stores.values, put } },
      extensions: [tasks()],
      tools: {
        work: tool({
          task: 'required',
          run(_, ctx) {
            void ctx.step('pay', async () => {
              await turns();
              return 'receipt 17';
            });
            return 'done';
          },
        }),
      },
    });
    const client = await connectPair(server, { protocolVersion });
    const handle = await client.tasks.start('work', {});
    await handle.toolResult();
    const [stored, ended] = [/receipt 17/, /Tool work failed/].map(text => written.findIndex(each => text.test(each)));
    expect(stored).toBeGreaterThanOrEqual(0);
    expect(ended).toBeGreaterThan(stored ?? 0);
    await client.close();
  });
});
