import { createHost } from '@tenon/host';
import { fakeClock } from '@tenon/testing';
import { connect, createServer, type ElicitResult, tasks, tool } from 'tenon';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

const MINUTE = 60_000;
const version = '2025-11-25';

it('responds to a server whose task requested input of its caller 29 minutes before', async () => {
  const server = createServer({
    name: 'curious',
    version: '1',
    protocolVersions: [version],
    extensions: [tasks()],
    tools: {
      ask: tool({
        task: 'optional',
        run: async (_, ctx) => (await ctx.elicit({ message: 'Sure?', input: z.object({ yes: z.boolean() }) })).action,
      }),
    },
  });
  const clock = fakeClock();
  const host = await createHost({ servers: { curious: { service: server } }, prefix: 'never', clock });
  onTestFinished(() => host.close());
  let notifyRequested = () => {};
  let answer = (_: ElicitResult) => {};
  const request = new Promise<void>(resolve => {
    notifyRequested = resolve;
  });
  const elicit = () =>
    new Promise<ElicitResult>(resolve => {
      answer = resolve;
      notifyRequested();
    });
  const client = await connect(host.toServer(), { protocolVersion: version, elicit });
  onTestFinished(() => client.close());
  const task = await client.tasks.start('ask', {});
  const result = task.toolResult();
  await request;
  clock.advance(29 * MINUTE);
  answer({ action: 'decline' });
  expect(await result).toMatchObject({ content: [{ text: 'decline' }] });
});
