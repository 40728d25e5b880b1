import { describe, expect, it } from 'vitest';
import { answerAll, ask, job, start, statusOf, textOf } from './fixtures/jobs.js';
import { gate, siteOf, until } from './fixtures/site.js';
import { connectTaskClient } from './fixtures/task-client.js';

const inputRequests = { keys: [{ id: 'k', key: new Uint8Array(32).fill(1) }] };

describe('a task in a remote store', () => {
  it('leaves no readable arguments, steps, responses or results there, however large [so.encrypt]', async () => {
    const site = siteOf(() => ({ remote: true }));
    const large = 'secret-result '.repeat(60_000);
    const tools = job(async (ctx, { text }) => {
      await ctx.step('prepare', () => 'secret-step');
      return `${large}${text}${await ask(ctx)}`;
    });
    const caller = await connectTaskClient(site.serve(tools, {}, { inputRequests }));
    const id = await start(caller, { text: 'secret-argument' });
    await until(async () => (await statusOf(caller, id)) === 'input_required');
    const readAll = async () => JSON.stringify(await site.stores.values.list(''));
    expect(await readAll()).not.toMatch(/secret|one\?/);
    await answerAll(caller, id, 'secret-answer');
    await until(async () => (await statusOf(caller, id)) === 'completed');
    expect(await textOf(caller, id)).toBe(`${large}secret-argumentsecret-answer`);
    expect(await readAll()).not.toContain('secret');
    expect(site.errors).toEqual([]);
  });

  it('continues at another process with the same key, after completed steps', async () => {
    const site = siteOf(() => ({ remote: true }));
    let steps = 0;
    const tools = (wait: () => Promise<void>) =>
      job(async ctx => {
        await ctx.step('once', () => {
          steps += 1;
          return 'step';
        });
        await wait();
        return 'done';
      });
    const lost = await connectTaskClient(
      // Its clock is another one, so that it does not renew its lease.
      siteOf(() => site.stores).serve(
        tools(() => gate().opened),
        {},
        { inputRequests },
      ),
    );
    const id = await start(lost);
    await until(async () => steps === 1 && JSON.stringify(await site.stores.values.list(`task-log/${id}/`)).length > 2);
    const caller = await connectTaskClient(
      site.serve(
        tools(async () => {}),
        { leaseTtl: 15_000 },
        { inputRequests },
      ),
    );
    site.clock.advance(60_000);
    site.clock.advance(15_000);
    await until(async () => (await statusOf(caller, id)) === 'completed');
    expect(steps).toBe(1);
  });
});
