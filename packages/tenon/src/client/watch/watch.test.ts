import { fakeClock } from '@tenon/testing';
import { connect } from 'tenon';
import { expect, it } from 'vitest';
import { tool } from '../../server/definitions/tool.js';
import { createServer } from '../../server/server.js';

const createTool = () => tool({ run: () => 'done' });
const nextTurn = () => new Promise(resolve => setImmediate(resolve));

it('watches longer than the timeout of calls', async () => {
  const clock = fakeClock();
  const server = createServer({ name: 'shop', version: '1.0.0', tools: { first: createTool() } });
  const client = await connect(server, { clock, totalTimeout: 1000, protocolVersion: '2026-07-28' });
  const errors: string[] = [];
  client.on('error', ({ code }) => errors.push(code));
  const changes = client.watch({ tools: true })[Symbol.asyncIterator]();
  const change = changes.next();
  await nextTurn();
  clock.advance(60_000);
  await nextTurn();
  server.tools.set('second', createTool());
  expect(await change).toEqual({ done: false, value: { list: 'tools' } });
  expect(errors).toEqual([]);
  await changes.return?.();
  await client.close();
});

it('keeps the process alive while it waits to open a broken stream again', async () => {
  const clock = fakeClock();
  const held: unknown[] = [];
  const after: typeof clock.after = (ms, run, options) => {
    if (ms === 1000) held.push(options?.hold);
    return clock.after(ms, run, options);
  };
  const server = createServer({ name: 'shop', version: '1.0.0', tools: { first: createTool() } });
  const client = await connect(server, { clock: { ...clock, after }, protocolVersion: '2026-07-28' });
  client.on('error', () => {});
  const ending = new AbortController();
  const changes = client.watch({ tools: true }, { signal: ending.signal })[Symbol.asyncIterator]();
  const change = changes.next();
  await nextTurn();
  void server.close();
  for (let turns = 0; turns < 100 && held.length === 0; turns += 1) await nextTurn();
  expect(held).toEqual([true]);
  ending.abort();
  expect(await change).toEqual({ done: true, value: undefined });
  void client.close();
});
