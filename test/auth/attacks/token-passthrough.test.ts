import { memoryStores, prompt, resource, tasks, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { served } from '../served.js';

/** Every text that can be reached from a value: by its own members of all kinds, by what it inherits, through maps and calls of getters. */
function textsIn(value: unknown, seen = new Set<unknown>()): string[] {
  if (typeof value === 'string') return [value];
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return [];
  seen.add(value);
  const inside = value instanceof Map || value instanceof Set ? [...value.entries()].flat() : [];
  if (value instanceof Headers) inside.push(...[...value].flat());
  const found = inside.flatMap(each => textsIn(each, seen));
  for (let at: object | null = value; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    if (at === Function.prototype) break;
    for (const key of Reflect.ownKeys(at)) {
      let member: unknown;
      try {
        member = Reflect.get(at, key, value);
      } catch {
        continue;
      }
      found.push(String(key), ...textsIn(member, seen));
    }
  }
  return found;
}

/** A server where everything that is called by the library keeps what it is given, and stores that can be looked into. */
async function nosy() {
  const given: { readonly [by: string]: unknown[] } = {};
  const keep = (by: string, ...all: unknown[]) => {
    (given as Record<string, unknown[]>)[by] = [...(given[by] ?? []), ...all];
  };
  const stores = memoryStores();
  const on = await served(
    {},
    {
      stores,
      extensions: [tasks()],
      use: [
        (operation, next) => {
          keep('middleware', operation);
          return next(operation);
        },
      ],
    },
  );
  const visible = (caller: unknown) => {
    keep('visible', caller);
    return true;
  };
  on.server.tools.set(
    'look',
    tool({
      visible,
      input: z.looseObject({}),
      run(...all) {
        keep('tool', ...all);
        return 'looked';
      },
    }),
  );
  on.server.tools.set(
    'later',
    tool({
      task: 'required',
      async run(_, ctx) {
        await ctx.step('first', () => ctx.auth);
        keep('task', ctx);
        return 'done';
      },
    }),
  );
  on.server.prompts.set(
    'look',
    prompt({
      visible,
      input: z.object({ who: z.string() }),
      complete: {
        who: (...all: unknown[]) => {
          keep('completer', ...all);
          return ['a'];
        },
      },
      run(...all) {
        keep('prompt', ...all);
        return 'looked';
      },
    }),
  );
  on.server.resources.set(
    'look://{id}',
    resource({
      visible,
      list: (...all: unknown[]) => {
        keep('list', ...all);
        return [{ id: 'a' }] as never;
      },
      read(...all: unknown[]) {
        keep('resource', ...all);
        return 'looked';
      },
    }) as never,
  );
  return { ...on, given, stores };
}

/**
 * A server that sends its caller's token on makes everything behind it believe that the caller has come there. What
 * it is never given it cannot send on.
 */
describe('an access token', () => {
  const asks = [
    ['tools/call', { name: 'look', arguments: { a: 1 }, _meta: {} }],
    ['tools/list', {}],
    ['prompts/get', { name: 'look', arguments: { who: 'a' } }],
    ['prompts/list', {}],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'look' }, argument: { name: 'who', value: '' } }],
    ['resources/read', { uri: 'look://a' }],
    ['resources/list', {}],
  ] as const;

  it('is reachable for no handler, middleware or hook [auth.token.no-passthrough]', async () => {
    const { alone, open, within, bearer, given, server } = await nosy();
    const headers = await bearer();
    const signature = String(headers.authorization?.split('.')[2]);
    expect(signature.length).toBeGreaterThan(40);
    const session = await open(headers);
    for (const [method, params] of asks) {
      expect([method, (await alone(method, params, headers)).body.error]).toEqual([method, undefined]);
      expect([method, (await within(session, method, params, headers)).body.error]).toEqual([method, undefined]);
    }
    const { body } = await alone('tools/call', { name: 'later', arguments: {} }, headers);
    const { taskId } = body.result as { taskId: string };
    await expect
      .poll(async () => (await alone('tasks/get', { taskId }, headers)).body.result?.status)
      .toBe('completed');
    expect(Object.keys(given).sort()).toEqual(
      ['completer', 'list', 'middleware', 'prompt', 'resource', 'task', 'tool', 'visible'].sort(),
    );
    for (const [by, all] of Object.entries(given)) {
      const texts = textsIn(all);
      // It is seen who calls: so it was looked in the right place.
      expect([by, texts.some(text => text.includes('|ada'))]).toEqual([by, true]);
      expect([by, texts.filter(text => text.includes(signature))]).toEqual([by, []]);
      expect([by, texts.filter(text => /^(bearer|dpop) |authorization/i.test(text))]).toEqual([by, []]);
    }
    server.close();
  });

  it('is readable in no store', async () => {
    const { alone, bearer, stores, server } = await nosy();
    const headers = await bearer();
    const response = await alone('tools/call', { name: 'ask', arguments: {} }, headers);
    expect(response.body.result?.resultType).toBe('input_required');
    await alone('tools/call', { name: 'later', arguments: {} }, headers);
    const stored = JSON.stringify(await stores.values.list(''));
    expect(stored).toContain('ada');
    expect(stored).not.toContain(String(headers.authorization?.split('.')[2]));
    server.close();
  });
});
