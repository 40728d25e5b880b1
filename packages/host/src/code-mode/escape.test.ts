import { describe, expect, it } from 'vitest';
import { createWorkerEngine } from '../runtimes/node/code-mode/worker-engine.js';
import type { ProgramEnd } from './program-engine.js';

const limits = { maxMemory: 16 * 2 ** 20, maxCalls: 50, maxOutput: 10_000 };
const engine = createWorkerEngine();

/** Runs a program whose calls give back their arguments. A short time is for programs that do not end. */
const run = (code: string, maxComputeTime = 50_000) =>
  new Promise<ProgramEnd>(resolve => {
    const program = engine.start(
      { code, seed: 1, time: 1e12, limits: { ...limits, maxComputeTime } },
      {
        onCall: (index, _, args) => program.deliver(index, { ok: true, json: args }),
        onIdle: () => {},
        onEnd: resolve,
      },
    );
  });

describe('a program that wants to escape', () => {
  it.each([
    ['this', `return typeof process + typeof require + typeof globalThis.fetch + typeof setTimeout`],
    [
      'a constructor',
      `return typeof tools.x.constructor('return this')().process + typeof require + typeof process + typeof fetch`,
    ],
    [
      'an error of a call',
      `try { await call(5) } catch (e) { return typeof e.constructor.constructor('return process') + typeof process + typeof require + typeof fetch }`,
    ],
    [
      'a proxy of its arguments',
      `const seen = []; const spy = new Proxy({ a: 1 }, { get(target, name) { seen.push(String(name)); return target[name] } });
      const back = await call('echo', spy); return typeof back.constructor.constructor('return process') + typeof process + seen.length`,
    ],
    [
      'a proxy in place of `tools`',
      `const found = new Proxy(tools, {}); await found.x({}); return typeof found.x.constructor('return this')().process + typeof require`,
    ],
    [
      'an error with a getter that reads its callers',
      `Error.prepareStackTrace = (_, frames) => frames.map(each => typeof each.getThis?.()); const { stack } = new Error('x');
      return typeof process + (Array.isArray(stack) ? stack.join() : '')`,
    ],
  ])('reaches nothing of the process by %s', async (_, code) => {
    const end = await run(code);
    expect(JSON.stringify(end)).not.toMatch(/object/);
  });

  it.each([
    ['a loop', 'for (;;);', 'compute-time'],
    ['a chain of promises', 'for (;;) await 1;', 'compute-time'],
    ['a regular expression', `return /(a+)+$/.test('a'.repeat(40) + 'b')`, 'compute-time'],
    ['a getter of its result', 'return { get a() { for (;;); } }', 'compute-time'],
    ['a list that grows', `const list = []; for (;;) list.push('x'.repeat(1000) + list.length)`, 'memory'],
    ['a million promises', 'await Promise.all(Array.from({ length: 1e6 }, () => new Promise(() => {})))', 'memory'],
    ['a million objects behind proxies', 'const list = []; for (;;) list.push(new Proxy({}, {}))', 'memory'],
    ['a proxy that never stops to have keys', `return new Proxy({}, { ownKeys() { for (;;); } })`, 'compute-time'],
    ['a `toJSON` that calls itself', 'return { toJSON() { return JSON.stringify(this) } }', 'threw'],
    ['a thrown proxy', `throw new Proxy({}, { get() { for (;;); } })`, 'compute-time'],
    ['a result that refers to itself', 'const a = {}; a.a = a; return a', 'threw'],
    ['a huge buffer', 'new ArrayBuffer(1e9)', 'memory'],
    ['deep recursion', 'const f = () => f() + 1; return f()', 'threw'],
    ['a long text', `let text = 'a'; for (;;) text += text`, 'threw'],
    ['an import', `await import('node:fs')`, 'threw'],
    ['a promise that nothing settles', 'await new Promise(() => {})', 'unfinished'],
    ['a large result', `return 'a'.repeat(20_000)`, 'output'],
  ])('ends by %s', async (_, code, failure) => {
    expect(await run(code, failure === 'compute-time' ? 100 : undefined)).toMatchObject({ failure });
  });

  it('changes only its own prototypes', async () => {
    const code = `
      Object.prototype.ok = false; Array.prototype.push = null; JSON.parse = () => 'forged'; Promise.prototype.then = null;
      return await call('echo', { a: 1 })`;
    await run(code);
    expect('ok' in {}).toBe(false);
    expect(await run(`return await call('echo', { a: 1 })`)).toMatchObject({ value: '{"a":1}' });
  });

  it('reads the stored time and the stored seed', async () => {
    const code = 'return [Math.random(), Date.now(), new Date().getTime(), new Date(0).constructor.now()]';
    const [one, other] = [await run(code), await run(code)];
    expect(one).toEqual(other);
    expect(one).toMatchObject({ value: expect.stringContaining('1000000000000,1000000000000,1000000000000') });
  });
});
