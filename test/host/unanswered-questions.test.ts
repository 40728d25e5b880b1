import { createHost } from '@tenon/host';
import { fakeClock } from '@tenon/testing';
import { type ClientOptions, connect, createServer, rpcError, type TenonError, tool } from 'tenon';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

const UPSTREAM = ['2025-06-18', '2025-11-25'] as const;
const LIFE = 60_000;
const yes = z.object({ yes: z.boolean() });
const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'What is it?' } }];

const fail = (): never => {
  throw rpcError(-1, 'User rejected the request');
};
const ANSWERS: ClientOptions = { elicit: fail, sample: fail, roots: fail };
const PAIRS = UPSTREAM.flatMap(version => ['form', 'model', 'folders'].map(name => [name, version] as const));

async function refuseBehindHost(name: string, version: string) {
  const outcomes: string[] = [];
  const settle = (asking: Promise<unknown>) =>
    asking.then(
      () => 'answered',
      (error: TenonError) => {
        outcomes.push(`${error.rpcCode}: ${error.summary}`);
        return 'not answered';
      },
    );
  const server = createServer({
    name: 'curious',
    version: '1',
    protocolVersions: [version],
    tools: {
      form: tool({ run: (_, ctx) => settle(ctx.elicit({ message: 'Sure?', input: yes })) }),
      model: tool({ run: (_, ctx) => settle(ctx.sample({ maxTokens: 5, messages })) }),
      folders: tool({ run: (_, ctx) => settle(ctx.roots()) }),
    },
  });
  const clock = fakeClock();
  const servers = { curious: { service: server } };
  const host = await createHost({ prefix: 'auto', servers, clock, inputRequests: { ttl: LIFE }, onError: () => {} });
  onTestFinished(() => host.close());
  const client = await connect(host.toServer(), { protocolVersion: '2026-07-28', tasks: false, ...ANSWERS });
  onTestFinished(() => client.close());
  await expect(client.callTool(name, {})).rejects.toMatchObject({ code: 'call/unanswered-request' });
  return { clock, outcomes };
}

it.each(PAIRS)('rejects %s of a server of %s when its caller cannot retry any more', async (name, version) => {
  const { clock, outcomes } = await refuseBehindHost(name, version);
  clock.advance(LIFE - 1);
  expect(outcomes).toEqual([]);
  clock.advance(1);
  await expect.poll(() => outcomes).toEqual([expect.stringMatching(/^-32603: \S+ was not answered within 60000 ms$/)]);
});
