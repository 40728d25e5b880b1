import { createServer, prompt, resource, type ServerDefinition, tool } from 'tenon';
import { expect } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../packages/base/src/json/json-object.js';
import { getRetry, sendRequest, type WireResponse } from './wire.js';

export const confirmationSchema = z.object({ yes: z.boolean() });
export const KEY = { id: 'a', key: new Uint8Array(32).fill(1) };

type Asks = { elicit(params: { message: string; input: typeof confirmationSchema }): Promise<unknown> };
type Steps = { step<T>(name: string, work: () => T): Promise<T> };

/** A server whose tools, prompts and resources ask twice and take steps, and that counts what runs. */
export function createGuardedServer(options: Partial<ServerDefinition<never, never, never>> = {}) {
  const ran: string[] = [];
  const errors: string[] = [];
  const handler = async (ctx: Asks & Steps) => {
    ran.push('entered');
    await ctx.step('before', () => void ran.push('step before'));
    await ctx.elicit({ message: 'First?', input: confirmationSchema });
    await ctx.step('between', () => void ran.push('step between'));
    await ctx.elicit({ message: 'Second?', input: confirmationSchema });
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
    inputRequests: { keys: [KEY] },
    onError: ({ code }) => void errors.push(code),
    ...(options as object),
    tools: { guarded: guard, other: guard },
    prompts: { guarded: prompt({ input: z.object({ what: z.string().optional() }), run: (_, ctx) => handler(ctx) }) },
    resources: { 'x:guarded': resource({ read: (_, ctx) => handler(ctx) }) },
  });
  return { server, ran, errors };
}

export type GuardedServer = ReturnType<typeof createGuardedServer>;

/** A request of somebody, as often as it is sent. */
export interface SentCall {
  readonly method: string;
  readonly params: JsonObject;
  readonly principal?: string;
}

export const sentCall: SentCall = {
  method: 'tools/call',
  params: { name: 'guarded', arguments: { what: 'a' } },
  principal: 'ada',
};

export function send(
  { server }: GuardedServer,
  { method, params, principal }: SentCall,
  more: JsonObject = {},
): Promise<WireResponse> {
  return sendRequest(server, method, { ...params, ...more }, principal === undefined ? {} : { principal });
}

/** The retry that is right. */
export async function beginCall(on: GuardedServer, what: SentCall = sentCall): Promise<ReturnType<typeof getRetry>> {
  return getRetry(await send(on, what));
}

/** Sends it, and checks that it is refused and that nothing ran. */
export async function expectRefusal(on: GuardedServer, what: SentCall, retry: object): Promise<void> {
  const before = on.ran.length;
  const { error, result } = await send(on, what, retry as never);
  expect(result).toBeUndefined();
  expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(/^Invalid params: /) });
  expect(on.ran.slice(before)).toEqual([]);
}

/** What was refused has used nothing up: the right one is still good. */
export async function expectAccepted(on: GuardedServer, retry: object, what: SentCall = sentCall): Promise<void> {
  const second = await send(on, what, retry as never);
  expect(second.result).toMatchObject({ resultType: 'input_required' });
  const last = await send(on, what, getRetry(second));
  expect(last.result).toMatchObject({ resultType: 'complete' });
  expect(on.ran.filter(each => each.startsWith('step'))).toEqual(['step before', 'step between', 'step after']);
}
