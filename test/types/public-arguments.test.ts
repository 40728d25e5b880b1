import { describe, expect, it } from 'vitest';
import { ENTRIES } from './entries.js';

type PublicFunction = (...given: readonly unknown[]) => unknown;

/** A path at which no file can be made, because a function may take a text as the path of a file. */
const TEXT = '/no such folder/no such file';
const VALUES: readonly unknown[] = [null, 5, '', TEXT, {}, []];
/** Nothing, each value alone and after valid first arguments, and options of a wrong type. */
const ARGUMENTS: readonly (readonly unknown[])[] = [
  [],
  ...VALUES.flatMap(value => [[value], [value, value], [{}, value], [TEXT, value], [[], value]]),
];

/** Errors of the engine and of Node for a value of a wrong type, which name neither the function nor the argument. */
const isRaw = (error: unknown): boolean =>
  error instanceof Error &&
  !['TenonError', 'AppError'].includes(error.name) &&
  !/Expected .+, got |: expected .+, got /s.test(error.message);

/** `connectToHost` needs a browser. `requireKnownOptions` is the check itself, which the packages of Tenon call. */
const NOT_CALLED = ['connectToHost', 'requireKnownOptions'];

async function call(run: PublicFunction, given: readonly unknown[]): Promise<unknown> {
  const isClass = /^class\b/.test(Function.prototype.toString.call(run));
  try {
    const result: unknown = isClass ? Reflect.construct(run, given) : run(...given);
    // A result that is not settled at once waits for a peer: its arguments were accepted.
    await Promise.race([Promise.resolve(result).then(close), new Promise(resolve => setImmediate(resolve))]);
    return undefined;
  } catch (error) {
    return error;
  }
}

async function close(value: unknown): Promise<void> {
  if (typeof value !== 'object' || value === null || !('close' in value) || typeof value.close !== 'function') return;
  await Promise.resolve(value.close()).catch(() => {});
}

describe('a public function with arguments of wrong types', () => {
  it.each(ENTRIES)('throws an error that names the expected and the received type: %s', async entry => {
    const exported: [string, unknown][] = Object.entries((await import(entry)) as object);
    const raw: string[] = [];
    for (const [name, value] of exported) {
      if (typeof value !== 'function' || NOT_CALLED.includes(name)) continue;
      for (const given of ARGUMENTS) {
        const error = await call(value as PublicFunction, given);
        if (isRaw(error)) raw.push(`${name}(${JSON.stringify(given).slice(1, -1)}): ${String(error)}`);
      }
    }
    expect(raw).toEqual([]);
  });
});
