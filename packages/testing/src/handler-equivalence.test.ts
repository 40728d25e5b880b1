import { TenonError } from '@tenon/base';
import { type Context, inputRequired, prompt, resource, type ToolDefinition, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { protocolVersions } from './connect-pair.js';
import { checkHandlerEquivalence, type HandlerEquivalenceOptions } from './handler-equivalence.js';

const sure = z.object({ sure: z.boolean() });
const hello = {
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hello' } }],
  maxTokens: 5,
};

const answers: HandlerEquivalenceOptions['answers'] = {
  elicit: () => ({ action: 'accept', content: { sure: true } }),
  elicitUrl: () => ({ action: 'accept' }),
  sample: () => ({ role: 'assistant', content: { type: 'text', text: 'Hi' }, model: 'm' }),
  sampleTools: true,
  roots: [{ uri: 'file:///home' }],
};

/** One with all that a handler may do: two questions at once, one after the other, the model, steps, chance in a step. */
function right(log: string[]) {
  return tool({
    input: z.object({ what: z.string() }),
    async run({ what }, ctx) {
      const id = await ctx.step('begin', () => {
        log.push('begin');
        return `${Math.random()} at ${Date.now()}`;
      });
      const [first, roots] = await Promise.all([
        ctx.elicit({ message: `Take ${what} as ${id}?`, input: sure }),
        ctx.roots(),
      ]);
      await ctx.step('take', async () => {
        await null;
        log.push('take');
      });
      const { content } = await ctx.sample(hello);
      const second = await ctx.elicit({ message: 'Really?', input: sure });
      await ctx.step('end', () => void log.push('end'));
      return JSON.stringify([id, first, roots, content, second]);
    },
  });
}

const differs = (handler: ToolDefinition, options: HandlerEquivalenceOptions = {}) =>
  checkHandlerEquivalence(handler, { answers, ...options }).then(
    () => expect.unreachable('it was not found out'),
    (error: TenonError) => {
      expect(error.message.split('\n')[0]).toMatch(/^(held|replayed|task|promoted|by-request).* \(20/);
      expect(error.code).toBe('testing/ways-differ');
      return error;
    },
  );

describe('checkHandlerEquivalence', () => {
  it('accepts a correct handler, and reports its runs', async () => {
    const log: string[] = [];
    const modes = await checkHandlerEquivalence(right(log), {
      input: { what: 'it' },
      answers,
      effects: () => log.splice(0),
    });
    const names = modes.map(({ mode, protocolVersion }) => `${mode} ${protocolVersion}`);
    expect(new Set(names)).toEqual(
      new Set([
        'by-request 2025-11-25',
        'task 2025-11-25',
        'task, crashed at every write 2025-11-25',
        'held 2026-07-28',
        'replayed 2026-07-28',
        'replayed by another replica 2026-07-28',
        'replayed, crashed at every write 2026-07-28',
        'task 2026-07-28',
        'promoted 2026-07-28',
        'promoted, crashed at every write 2026-07-28',
        'task, crashed at every write 2026-07-28',
        'by-request 2025-06-18',
        'by-request 2025-03-26',
        'by-request 2024-11-05',
      ]),
    );
    const complete = modes.filter(({ missingCapabilities }) => missingCapabilities === undefined);
    expect(new Set(complete.map(({ protocolVersion }) => protocolVersion)).size).toBe(3);
    const entries = (name: string) => modes.filter(({ mode }) => mode === name).map(each => each.entries);
    expect([entries('held'), entries('replayed'), entries('replayed by another replica')]).toEqual([[1], [4], [4]]);
    // The steps after a question, on top of the rounds.
    expect(entries('replayed, crashed at every write')).toEqual([6]);
    // Entered anew after each step and each answer; what waits for an answer waits for no process.
    expect(entries('task, crashed at every write')).toEqual([8, 8]);
    for (const { events, effects, result } of complete) {
      expect(effects).toEqual(['begin', 'take', 'end']);
      expect(result?.content).toEqual(complete[0]?.result?.content);
      const all = events.map(each => ('step' in each ? each.step : each.question));
      const together = all.splice(1, 2).sort();
      expect(together).toEqual(['elicitation/create', 'roots/list']);
      expect(all).toEqual(['begin', 'take', 'sampling/createMessage', 'elicitation/create', 'end']);
    }
    const lacking = modes.filter(({ protocolVersion }) => protocolVersion < '2025-06-18');
    for (const { missingCapabilities, effects } of lacking) {
      expect(missingCapabilities?.length).toBe(2);
      expect(effects).toEqual(['begin']);
    }
  });

  it('detects an effect outside of a step', async () => {
    const log: string[] = [];
    const handler = tool({
      async run(_, ctx) {
        log.push('sent');
        await ctx.elicit({ message: 'Sure?', input: sure });
        return 'done';
      },
    });
    const { message, hint } = await differs(handler, { effects: () => log.splice(0) });
    expect(message).toContain('replayed (2026-07-28) did "sent" twice, where by-request (2025-11-25) once');
    expect(hint).toContain('ctx.step');
  });

  it('detects an effect that a handler remembers itself', async () => {
    let times = 0;
    const handler = tool({
      async run(_, ctx) {
        times++;
        await ctx.elicit({ message: 'Sure?', input: sure });
        return `${times}`;
      },
    });
    await differs(handler);
  });

  it('detects an input request that depends on the clock', async () => {
    const handler = tool({
      async run(_, ctx) {
        await ctx.elicit({ message: `It is ${Date.now()}: sure?`, input: sure });
        return 'done';
      },
    });
    const { message, hint } = await differs(handler);
    expect(message).toMatch(
      /came to elicitation\/create "It is \d+: sure\?", where .* came to elicitation\/create "It is/,
    );
    expect(hint).toContain('the clock');
  });

  it('detects an input request that depends on chance, and one that the handler does not repeat', async () => {
    const chance = tool({
      async run(_, ctx) {
        await ctx.roots();
        await ctx.sample({ ...hello, systemPrompt: `${Math.random()}` });
        return 'done';
      },
    });
    expect((await differs(chance)).message).toContain('sampling/createMessage');
    let entries = 0;
    const once = tool({
      async run(_, ctx) {
        // In the first three entries, one of them in the first way, and none of a retry.
        entries++;
        if (entries < 3) await ctx.roots();
        return 'done';
      },
    });
    expect((await differs(once)).message).toContain('came to its end without roots/list');
  });

  it('detects a result that depends on the clock', async () => {
    expect((await differs(tool({ run: () => new Date().toISOString() }))).message).toContain('came to {"returned":"20');
    const noted = tool({ run: (_, ctx) => ctx.step('now', () => new Date().toISOString()) });
    expect((await checkHandlerEquivalence(noted)).length).toBeGreaterThan(8);
  });

  it('detects a name of a step that depends on chance', async () => {
    const { message } = await differs(tool({ run: (_, ctx) => ctx.step(`save ${Math.random()}`, () => 1) }));
    expect(message).toMatch(/came to the step "save 0\.\d+", where by-request \(2025-11-25\) came to the step "save 0/);
  });

  it('detects a step that runs again because it threw', async () => {
    const handler = tool({
      async run(_, ctx) {
        const failing = () => {
          throw new Error('no');
        };
        await ctx.step('try', failing).catch(() => {});
        await ctx.elicit({ message: 'Go on?', input: sure });
        return 'done';
      },
    });
    const { message, hint } = await differs(handler);
    expect(message).toContain('replayed (2026-07-28) ran the step "try" twice, where by-request (2025-11-25) once');
    expect(hint).toContain('a step that throws runs again');
  });

  it('detects another order', async () => {
    let entries = 0;
    const handler = tool({
      async run(_, ctx) {
        const steps = entries++ === 0 ? ['a', 'b'] : ['b', 'a'];
        for (const step of steps) await ctx.step(step, () => {});
      },
    });
    expect((await differs(handler)).message).toContain('came to the step "b", where');
  });

  it('accepts concurrency, and equal failures in every mode', async () => {
    const log: string[] = [];
    const handler = tool({
      async run(_, ctx) {
        const branch = async (name: string) => {
          await ctx.step(`${name} 1`, async () => void log.push(`${name} 1`));
          await ctx.elicit({ message: `${name}?`, input: sure });
          await ctx.step(`${name} 2`, async () => void log.push(`${name} 2`));
        };
        await Promise.all(['x', 'y', 'z'].map(branch));
        throw new Error('after all');
      },
    });
    const modes = await checkHandlerEquivalence(handler, { answers, effects: () => log.splice(0) });
    expect(modes.every(({ result, error }) => result?.isError === true || error !== undefined)).toBe(true);
  });

  it('compares handlers without input requests too, and omits unsupported modes', async () => {
    const alone = (more: () => string) =>
      tool({
        run: (_, ctx) => ctx.elicit({ message: 'Sure?', input: sure }).then(JSON.stringify, () => `nobody${more()}`),
      });
    const modes = await checkHandlerEquivalence(alone(() => ''));
    expect(modes.some(({ missingCapabilities }) => missingCapabilities)).toBe(false);
    await differs(
      alone(() => `${Math.random()}`),
      { answers: {} },
    );
    const needy = tool({ requiredCapabilities: { elicitation: {} }, run: () => 'x' });
    const without = (await checkHandlerEquivalence(needy, { answers })).filter(
      ({ missingCapabilities }) => missingCapabilities,
    );
    expect(without.map(({ protocolVersion, entries }) => [protocolVersion, entries])).toEqual([
      ['2025-03-26', 0],
      ['2024-11-05', 0],
    ]);
  });

  it('runs no step of a handler after the end of its scenario', async () => {
    const log: string[] = [];
    const releases: (() => void)[] = [];
    const leavesWork = tool({
      async run(_, ctx) {
        const late = ctx.client.capabilities.elicitation
          ? Promise.resolve()
          : new Promise<void>(resolve => releases.push(resolve));
        await Promise.all([
          ctx.elicit({ message: 'Sure?', input: sure }),
          late.then(() => ctx.step('late', () => void log.push('late'))),
        ]);
        return 'done';
      },
    });
    await checkHandlerEquivalence(leavesWork, { answers, effects: () => log.splice(0) });
    for (const release of releases) release();
    await new Promise(setImmediate);
    expect(releases.length).toBeGreaterThan(0);
    expect(log).toEqual([]);
  });

  it('accepts values that JSON cannot write', async () => {
    expect(await checkHandlerEquivalence(tool({ run: () => ({ big: 1n }) as object }))).not.toEqual([]);
  });

  it('accepts different results where that is intended', async () => {
    const timed = tool({ run: () => ({ at: Date.now(), what: 'it' }) });
    const compare = (outcome: unknown) => ({ ...(outcome as { returned: object }).returned, at: 0 });
    expect(await checkHandlerEquivalence(timed, { compare })).not.toEqual([]);
  });

  it('runs prompts and resources, and handlers that return their input requests', async () => {
    const ask = async (ctx: Context) => JSON.stringify(await ctx.roots());
    const prompts = await checkHandlerEquivalence({ prompt: prompt({ run: (_, ctx) => ask(ctx) }) }, { answers });
    expect(prompts.map(({ mode }) => mode)).not.toContain('task');
    expect(prompts.map(({ protocolVersion }) => protocolVersion)).toEqual(
      expect.arrayContaining([...protocolVersions]),
    );
    const read = { resource: resource({ read: (_, ctx) => ask(ctx) }), uri: 'note://1', template: 'note://{id}' };
    expect((await checkHandlerEquivalence(read, { answers })).length).toBe(prompts.length);
    const returning = tool({
      run: (_, { inputs: { requestState } }) =>
        requestState === undefined
          ? inputRequired({ inputRequests: { r: { method: 'roots/list' } }, requestState: 's' })
          : 'done',
    });
    const modes = await checkHandlerEquivalence(returning, { answers });
    expect(modes.every(({ events }) => events.length === 1)).toBe(true);
  });

  it('omits tasks where they are forbidden, and ends after its timeout', async () => {
    const never = tool({ task: 'forbidden', run: () => new Promise<string>(() => {}) });
    await expect(checkHandlerEquivalence(never, { timeout: 50 })).rejects.toMatchObject({ code: 'testing/no-end' });
    const unlimited = { timeout: Number.POSITIVE_INFINITY };
    const plain = await checkHandlerEquivalence(tool({ task: 'forbidden', run: () => 'x' }), unlimited);
    expect(plain.map(({ mode }) => mode).filter(form => form.includes('task'))).toEqual([]);
    expect(TenonError.is(await differs(tool({ run: () => `${Math.random()}` })))).toBe(true);
  });
});
