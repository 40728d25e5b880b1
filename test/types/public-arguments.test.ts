import { inspect } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { ENTRIES } from './entries.js';

type PublicFunction = (...given: readonly unknown[]) => unknown;

/** A path at which no file can be made, because a function may take a text as the path of a file. */
const TEXT = '/no such folder/no such file';
const SIMPLE: readonly unknown[] = [undefined, null, 5, Number.NaN, '', TEXT, true, {}, []];
/** Each member of such an object has the same wrong value, so that each option of a function has it once. */
const ODD: readonly unknown[] = SIMPLE.map(value => createOdd(value));
const VALUES: readonly unknown[] = [...SIMPLE, [undefined], () => undefined, { unknownOption: 1 }, ...ODD];
/** Nothing, each value alone and after valid first arguments, and options of a wrong type. */
const ARGUMENTS: readonly (readonly unknown[])[] = [
  [],
  ...VALUES.flatMap(value => [
    [value],
    [value, value],
    [{}, value],
    [TEXT, value],
    [[], value],
    [TEXT, TEXT, value],
    [{}, {}, value],
  ]),
];

/** Turns of the event loop in which a function rejects wrong arguments, for example after its first file was read. */
const TURNS = 3;

/** Errors of the engine and of Node for a value of a wrong type, which name neither the function nor the argument. */
const isRaw = (error: unknown): boolean =>
  error instanceof Error &&
  !['TenonError', 'AppError'].includes(error.name) &&
  !/Expected .+, got |: expected .+, got |unknown option .+ Expected /s.test(error.message);

/** `connectToHost` needs a browser. */
const NOT_CALLED = ['connectToHost'];

/** Members that the language itself reads. */
const NOT_ODD = ['then', 'toString', 'valueOf'];

function createOdd(value: unknown): object {
  return new Proxy(
    {},
    {
      get: (target, name) => (typeof name === 'symbol' || NOT_ODD.includes(name) ? Reflect.get(target, name) : value),
      has: (target, name) => typeof name === 'string' || Reflect.has(target, name),
    },
  );
}

/** Calls a function, and passes the error that it throws. An error that comes later is passed when it comes. */
async function call(run: PublicFunction, given: readonly unknown[], onError: (error: unknown) => void): Promise<void> {
  const isClass = /^class\b/.test(Function.prototype.toString.call(run));
  try {
    const result: unknown = isClass ? Reflect.construct(run, given) : run(...given);
    // A result that is not settled soon waits for a peer: its arguments were accepted.
    await Promise.race([Promise.resolve(result).then(close).catch(onError), waitTurns()]);
  } catch (error) {
    onError(error);
  }
}

async function waitTurns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise(resolve => setImmediate(resolve));
}

async function close(value: unknown): Promise<void> {
  if (typeof value !== 'object' || value === null || !('close' in value) || typeof value.close !== 'function') return;
  await Promise.resolve(value.close()).catch(() => {});
}

/** Describes arguments for a failure. */
const describeArguments = (given: readonly unknown[]): string =>
  given
    .map(value => {
      const at = ODD.indexOf(value);
      return at < 0 ? inspect(value) : `{ each: ${inspect(SIMPLE[at])} }`;
    })
    .join(', ');

describe('a public function with arguments of wrong types', () => {
  // The first imports take longer than all calls.
  for (const entry of ENTRIES) beforeAll(() => import(entry), 60_000);

  it.each(ENTRIES)('throws an error that names the expected and the received type: %s', async entry => {
    const exported: [string, unknown][] = Object.entries((await import(entry)) as object);
    const raw: string[] = [];
    for (const [name, value] of exported) {
      if (typeof value !== 'function' || NOT_CALLED.includes(name)) continue;
      for (const given of ARGUMENTS) {
        await call(value as PublicFunction, given, error => {
          if (isRaw(error)) raw.push(`${name}(${describeArguments(given)}): ${String(error)}`);
        });
      }
    }
    expect(raw).toEqual([]);
  });
});
