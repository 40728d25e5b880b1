import { createServer, prompt, resource, type ServerDefinition, tool } from 'tenon';
import { expect } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../packages/tenon/src/jsonrpc/message.js';
import { type Answer, request, retryOf } from './wire.js';

export const yes = z.object({ yes: z.boolean() });
export const KEY = { id: 'a', key: new Uint8Array(32).fill(1) };

type Asks = { elicit(question: { message: string; input: typeof yes }): Promise<unknown> };
type Steps = { step<T>(name: string, work: () => T): Promise<T> };

/** A server whose tools, prompts and resources ask twice and take steps, and that counts what runs. */
export function guarded(options: Partial<ServerDefinition<never, never, never>> = {}) {
  const ran: string[] = [];
  const problems: string[] = [];
  const handler = async (ctx: Asks & Steps) => {
    ran.push('entered');
    await ctx.step('before', () => void ran.push('step before'));
    await ctx.elicit({ message: 'First?', input: yes });
    await ctx.step('between', () => void ran.push('step between'));
    await ctx.elicit({ message: 'Second?', input: yes });
    await ctx.step('after', () => void ran.push('step after'));
    return 'done';
  };
  const guard = tool({
    input: z.object({ what: z.string().optional(), count: z.number().optional() }),
    run: (_, ctx) => handler(ctx),
  });
  const server = createServer({
    name: 'guarded',
    version: '1',
    asking: { keys: [KEY] },
    onProblem: ({ code }) => void problems.push(code),
    ...(options as object),
    tools: { guarded: guard, other: guard },
    prompts: { guarded: prompt({ input: z.object({ what: z.string().optional() }), run: (_, ctx) => handler(ctx) }) },
    resources: { 'x:guarded': resource({ read: (_, ctx) => handler(ctx) }) },
  });
  return { server, ran, problems };
}

export type Guarded = ReturnType<typeof guarded>;

/** A request of somebody, as often as it is sent. */
export interface Sent {
  readonly method: string;
  readonly params: JsonObject;
  readonly principal?: string;
}

export const sent: Sent = {
  method: 'tools/call',
  params: { name: 'guarded', arguments: { what: 'a' } },
  principal: 'ada',
};

export function send({ server }: Guarded, { method, params, principal }: Sent, more: JsonObject = {}): Promise<Answer> {
  return request(server, method, { ...params, ...more }, principal === undefined ? {} : { principal });
}

/** The retry that is right. */
export async function begun(on: Guarded, what: Sent = sent): Promise<ReturnType<typeof retryOf>> {
  return retryOf(await send(on, what));
}

/** Sends it, and checks that it is refused and that nothing ran. */
export async function refused(on: Guarded, what: Sent, retry: object): Promise<void> {
  const before = on.ran.length;
  const { error, result } = await send(on, what, retry as never);
  expect(result).toBeUndefined();
  expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(/^Invalid params: /) });
  expect(on.ran.slice(before)).toEqual([]);
}

/** What was refused has used nothing up: the right one is still good. */
export async function stillGood(on: Guarded, retry: object, what: Sent = sent): Promise<void> {
  const second = await send(on, what, retry as never);
  expect(second.result).toMatchObject({ resultType: 'input_required' });
  const last = await send(on, what, retryOf(second));
  expect(last.result).toMatchObject({ resultType: 'complete' });
  expect(on.ran.filter(each => each.startsWith('step'))).toEqual(['step before', 'step between', 'step after']);
}
