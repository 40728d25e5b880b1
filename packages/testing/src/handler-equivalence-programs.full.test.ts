import fc from 'fast-check';
import { type Context, type ToolDefinition, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import type { ObservedEvent } from './handler-equivalence/observation.js';
import { checkHandlerEquivalence, type ExecutionResult } from './handler-equivalence.js';

/** A handler as a value: what it does, one after the other or side by side. */
type Plan =
  | { readonly does: 'elicit' | 'visit' | 'sample' | 'roots' | 'step' | 'await' | 'sleep' }
  | { readonly inTurn: readonly Plan[] }
  | { readonly together: readonly Plan[] };

const { plan } = fc.letrec<{ plan: Plan; one: Plan; inTurn: Plan; together: Plan }>(tie => ({
  one: fc.record({ does: fc.constantFrom('elicit', 'visit', 'sample', 'roots', 'step', 'step', 'await', 'sleep') }),
  inTurn: fc.record({ inTurn: fc.array(tie('plan'), { minLength: 1, maxLength: 3 }) }),
  together: fc.record({ together: fc.array(tie('plan'), { minLength: 2, maxLength: 3 }) }),
  plan: fc.oneof(
    { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
    tie('one'),
    tie('inTurn'),
    tie('together'),
  ),
}));

const form = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const;

const sleep = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

/** What it does is named by its place in the plan, and depends on what came of all that it has waited for. */
async function follow(plan: Plan, ctx: Context, path: string, sum: number, log: string[]): Promise<number> {
  if ('inTurn' in plan) {
    let so = sum;
    for (const [at, each] of plan.inTurn.entries()) so = await follow(each, ctx, `${path}.${at}`, so, log);
    return so;
  }
  if ('together' in plan) {
    const branches = plan.together.map((each, at) => follow(each, ctx, `${path}.${at}`, sum, log));
    return (await Promise.all(branches)).reduce((all, each) => (all * 7 + each) % 1009, sum);
  }
  const message = `${path} ${sum}`;
  switch (plan.does) {
    case 'elicit': {
      const { content } = await ctx.elicit({ message, input: form });
      return sum + Number((content as { n: number }).n);
    }
    case 'visit':
      return sum + (await ctx.elicitUrl({ message, url: 'https://example.com/' })).action.length;
    case 'sample': {
      const { content } = await ctx.sample({
        messages: [{ role: 'user', content: { type: 'text', text: message } }],
        maxTokens: 5,
      });
      return sum + (content as { text: string }).text.length;
    }
    case 'roots':
      return sum + (await ctx.roots()).length;
    case 'step':
      return ctx.step(path, async () => {
        log.push(message);
        await (sum % 4 === 0 ? sleep(1) : null);
        return sum + 1;
      });
    case 'await':
      await null;
      return sum + 1;
    case 'sleep':
      await sleep(sum % 3);
      return sum + 1;
  }
}

const handlerOf = (plan: Plan, log: string[]): ToolDefinition =>
  tool({ run: async (_, ctx) => String(await follow(plan, ctx, '0', 1, log)) });

const answers = {
  elicit: ({ message }: { message: string }) => ({ action: 'accept', content: { n: message.length } }) as const,
  elicitUrl: () => ({ action: 'accept' }) as const,
  sample: () => ({ role: 'assistant', content: { type: 'text', text: 'four' }, model: 'm' }) as const,
  roots: [{ uri: 'file:///a' }, { uri: 'file:///b' }],
};

/** Where in the plan something stands that was seen. Questions for roots do not say. */
function placeOf(seen: ObservedEvent): string | undefined {
  if ('step' in seen) return seen.step;
  const { message, messages } = seen.params as { message?: string; messages?: { content: { text: string } }[] };
  return (message ?? messages?.[0]?.content.text)?.split(' ')[0];
}

/** Checks that nothing comes before what it waits for. Gives where the plan begins and ends. */
function inOrder(plan: Plan, path: string, places: readonly (string | undefined)[]): readonly [number, number] {
  if ('does' in plan) {
    const at = places.indexOf(path);
    return at < 0 ? [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY] : [at, at];
  }
  const parts = 'inTurn' in plan ? plan.inTurn : plan.together;
  const spans = parts.map((part, at) => inOrder(part, `${path}.${at}`, places));
  if ('inTurn' in plan) {
    let end = Number.NEGATIVE_INFINITY;
    for (const [first, last] of spans) {
      expect(first).toBeGreaterThan(end);
      end = Math.max(end, last);
    }
  }
  return [Math.min(...spans.map(([first]) => first)), Math.max(...spans.map(([, last]) => last))];
}

const count = (plan: Plan, what: string): number => {
  if ('does' in plan) return plan.does === what ? 1 : 0;
  return ('inTurn' in plan ? plan.inTurn : plan.together).reduce((all, each) => all + count(each, what), 0);
};

/** Steps that run one after the other, at least: steps that run together can be recorded by one write. */
function countStepsInTurn(plan: Plan): number {
  if ('does' in plan) return plan.does === 'step' ? 1 : 0;
  if ('together' in plan) return Math.max(...plan.together.map(countStepsInTurn));
  return plan.inTurn.reduce((all, each) => all + countStepsInTurn(each), 0);
}

function check(plan: Plan, { events, mode, missingCapabilities, entries }: ExecutionResult): void {
  if (missingCapabilities) return;
  const places = events.map(placeOf);
  inOrder(plan, '0', places);
  const steps = events.flatMap(each => ('step' in each ? [each.step] : []));
  expect(new Set(steps).size).toBe(steps.length);
  expect(steps.length).toBe(count(plan, 'step'));
  const requestCount = ['elicit', 'visit', 'sample', 'roots'].reduce((all, each) => all + count(plan, each), 0);
  expect(events.length - steps.length).toBe(requestCount);
  if (mode === 'by-request' || mode === 'held' || mode === 'task') expect(entries).toBe(1);
  // A process for each record of steps and each answer, and one more for what has to be asked again.
  if (mode === 'task, crashed at every write') expect(entries).toBeGreaterThan(countStepsInTurn(plan));
}

describe('any handler', () => {
  it('has the same input requests and steps in every mode, each step once, and nothing before its dependencies', async () => {
    const log: string[] = [];
    const property = fc.asyncProperty(plan, async plan => {
      const modes = await checkHandlerEquivalence(handlerOf(plan, log), { answers, effects: () => log.splice(0) });
      for (const variant of modes) check(plan, variant);
    });
    // A run that is interrupted before its first success fails, so the limit is far above the time of one plan.
    await fc.assert(property, { numRuns: 40, interruptAfterTimeLimit: 40_000 });
  });
});
