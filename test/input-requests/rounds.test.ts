import { protocolVersions } from '@tenon/testing';
import { connect, createServer, inputRequired, prompt, resource, type TenonError, tool, toolError } from 'tenon';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../packages/base/src/json/json-object.js';
import { speedUpTimers } from '../../packages/tenon/src/execution/fixtures/playing.js';
import { confirmationSchema } from './guarded-server.js';
import { callTool, getRetry, getText } from './wire.js';

const newest = protocolVersions[0] as string;
const versions = protocolVersions.filter(version => version >= '2025-06-18');
const modes = versions.flatMap((version): [string, string, number][] =>
  version === newest
    ? [
        [version, 'held', 10],
        [version, 'replayed', 0],
      ]
    : [[version, 'by request', 0]],
);

afterEach(() => void vi.unstubAllGlobals());

describe.each(modes)('a handler on %s, %s', (protocolVersion, mode, maxSuspended) => {
  const rig = (run: Parameters<typeof tool>[0]['run']) => {
    const errors: TenonError[] = [];
    const server = createServer({
      name: 's',
      version: '1',
      inputRequests: { maxSuspended },
      onError: error => void errors.push(error),
      tools: { t: tool({ run: run as never }) },
      prompts: { p: prompt({ run: run as never }) },
      resources: { 'x:r': resource({ read: run as never }) },
    });
    const requests: string[] = [];
    const client = connect(server, {
      protocolVersion,
      roots: [{ uri: 'file:///home' }],
      elicit: ({ message }) => {
        requests.push(message);
        return { action: 'accept', content: { yes: true } };
      },
    });
    return { client, errors, requests };
  };

  const form = (message: string) => ({
    method: 'elicitation/create' as const,
    params: {
      message,
      requestedSchema: { type: 'object' as const, properties: { yes: { type: 'boolean' as const } } },
    },
  });

  it('mixes returned input requests with awaited ones, and with steps [mrtr.request-state-echoed]', async () => {
    const did: string[] = [];
    const { client, errors, requests } = rig(async (_, ctx) => {
      const { inputResponses = {}, requestState } = ctx.inputs as {
        inputResponses?: JsonObject;
        requestState?: string;
      };
      const first = await ctx.elicit({ message: 'asked first', input: confirmationSchema });
      await ctx.step('one', () => void did.push('one'));
      if (requestState === undefined)
        return inputRequired({ inputRequests: { own: form('returned') }, requestState: 'mine' });
      const second = await ctx.elicit({ message: 'asked second', input: confirmationSchema });
      const roots = await ctx.roots();
      await ctx.step('two', () => void did.push('two'));
      return JSON.stringify([requestState, Object.keys(inputResponses), first.action, second.action, roots.length]);
    });
    const expected = JSON.stringify(['mine', ['own'], 'accept', 'accept', 1]);
    const open = await client;
    expect((await open.callTool('t')).content).toEqual([{ type: 'text', text: expected }]);
    expect(did).toEqual(['one', 'two']);
    expect((await open.readResource('x:r')).contents).toMatchObject([{ text: expected }]);
    expect((await open.call('prompts/get', { name: 'p' })).messages).toMatchObject([{ content: { text: expected } }]);
    const once = ['asked first', 'returned', 'asked second'];
    expect(requests).toEqual([...once, ...once, ...once]);
    expect(errors).toEqual([]);
    await open.close();
  });

  it('returns input requests repeatedly without requestState of its own', async () => {
    const { client, requests } = rig((_, { inputs }) => {
      const { inputResponses } = inputs;
      if (inputResponses === undefined) return inputRequired({ inputRequests: { one: form('one') } });
      if ('one' in inputResponses) return inputRequired({ inputRequests: { two: form('two') } });
      return Object.keys(inputResponses).join();
    });
    const open = await client;
    expect((await open.callTool('t')).content).toEqual([{ type: 'text', text: 'two' }]);
    expect(requests).toEqual(['one', 'two']);
    await open.close();
  });

  it('repeats a step that threw when it runs again, and only then', async () => {
    let runs = 0;
    const { client, errors } = rig(async (_, ctx) => {
      const flaky = () =>
        ctx.step('flaky', () => {
          runs++;
          if (runs === 1) throw toolError('not yet');
          return runs;
        });
      const before = await flaky().catch(error => (error as Error).message);
      const { action } = await ctx.elicit({ message: 'Again?', input: confirmationSchema });
      return `${before} ${action} ${await flaky().catch(error => (error as Error).message)}`;
    });
    const open = await client;
    const text = ((await open.callTool('t')).content[0] as { text: string }).text;
    // It is named twice: entered again, what it caught before it now gets, for nothing is remembered of what was thrown.
    expect([text, runs]).toEqual(mode === 'replayed' ? ['2 accept 3', 3] : ['not yet accept 2', 2]);
    expect(errors).toEqual([]);
    await open.close();
  });

  it('reports errors that it throws after its response', async () => {
    const { client, errors } = rig(async (_, ctx) => {
      await ctx.elicit({ message: 'Sure?', input: confirmationSchema });
      throw toolError('out of paper');
    });
    const open = await client;
    expect(await open.callTool('t').catch(error => error.data)).toMatchObject({
      isError: true,
      content: [{ text: 'out of paper' }],
    });
    expect(errors).toEqual([]);
    await open.close();
  });

  it('fails with its own error when it throws before its earlier input requests', async () => {
    let entries = 0;
    const { client, errors } = rig(async (_, ctx) => {
      if (++entries > 1) throw toolError('the disk is gone');
      await ctx.elicit({ message: 'Sure?', input: confirmationSchema });
      return 'done';
    });
    const open = await client;
    const result = await open.callTool('t');
    expect(result.content).toEqual([{ type: 'text', text: mode === 'replayed' ? 'the disk is gone' : 'done' }]);
    expect(errors).toEqual([]);
    await open.close();
  });

  it('reports errors of a step by its name, and masks them to the client', async () => {
    const { client, errors } = rig(async (_, ctx) => {
      await ctx.step('outer', () => ctx.step('inner', () => 1)).catch(() => {});
      await ctx.step('asks', () => ctx.roots()).catch(() => {});
      await ctx.step('when', () => new Date());
      return 'never';
    });
    const open = await client;
    expect((await open.callTool('t')).isError).toBe(true);
    expect(errors).toMatchObject([{ code: 'handler/step-not-json', message: expect.stringContaining('"when"') }]);
    await open.close();
  });
});

describe('a handler that is not deterministic', () => {
  const asks = (message: () => string, steps: () => string[]) => {
    const errors: TenonError[] = [];
    const server = createServer({
      name: 's',
      version: '1',
      inputRequests: { maxSuspended: 0 },
      onError: error => void errors.push(error),
      tools: {
        t: tool({
          async run(_, ctx) {
            for (const step of steps()) await ctx.step(step, () => 1);
            return (await ctx.elicit({ message: message(), input: confirmationSchema })).action;
          },
        }),
      },
    });
    return { server, errors };
  };
  let n = 0;

  it.each([
    ['asks', () => `${++n}?`, () => [], /input request ask-0 \(elicitation\/create\)/],
    ['does', () => 'Sure?', () => (++n % 2 ? ['a', 'b'] : ['a']), /step "b"/],
  ])('fails with the name of the first difference in what it %s', async (_, message, steps, named) => {
    speedUpTimers();
    n = 0;
    const { server, errors } = asks(message, steps);
    const first = await callTool(server, 't');
    expect((await callTool(server, 't', getRetry(first))).error).toEqual({ code: -32603, message: 'Internal error' });
    expect(errors).toMatchObject([{ code: 'handler/not-deterministic', hint: expect.stringContaining('ctx.step') }]);
    expect(errors[0]?.message).toMatch(named);
  });

  it('counts as deterministic when the difference is in a step', async () => {
    const errors: TenonError[] = [];
    const server = createServer({
      name: 's',
      version: '1',
      inputRequests: { maxSuspended: 0 },
      onError: error => void errors.push(error),
      tools: {
        t: tool({
          async run(_, ctx) {
            const at = await ctx.step('when', () => ++n);
            return (await ctx.elicit({ message: `At ${at}?`, input: confirmationSchema })).action;
          },
        }),
      },
    });
    expect(getText(await callTool(server, 't', getRetry(await callTool(server, 't'))))).toBe('accept');
    expect(errors).toEqual([]);
  });
});
