import type { ServerState } from '@tenon/host';
import { TenonError } from 'tenon';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createStubContext } from '../host/fixtures/stub-context.js';
import { createServerReporter, listSkipped, type ReportedServer, reportServers } from './report-servers.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const connected: ServerState = {
  name: 'quick',
  state: 'connected',
  reason: undefined,
  protocolVersion: '2026-07-28',
  serverInfo: { name: 'quick', version: '1.0.0' },
};

it('reports each server as soon as its state is known, and a slow one twice', async () => {
  let fail = (_: ServerState) => {};
  const hung = new Promise<ServerState>(resolve => {
    fail = resolve;
  });
  const reported: ReportedServer[] = [];
  const host = { connectServer: (name: string) => (name === 'hung' ? hung : Promise.resolve(connected)) };
  const done = reportServers(host, ['hung', 'quick'], server => reported.push(server));
  await vi.advanceTimersByTimeAsync(0);
  expect(reported).toEqual([connected]);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(reported[1]).toEqual({ name: 'hung', state: 'connecting', reason: 'no response after 15 s' });
  fail({ ...connected, name: 'hung', state: 'failed', reason: 'timed out' });
  await done;
  expect(reported[2]).toMatchObject({ name: 'hung', state: 'failed', reason: 'timed out' });
  expect(vi.getTimerCount()).toBe(0);
});

it('reports nothing after the gateway has ended', async () => {
  const ending = new AbortController();
  const reported: ReportedServer[] = [];
  const host = { connectServer: async () => connected };
  const done = reportServers(host, ['quick'], server => reported.push(server), ending.signal);
  ending.abort();
  await done;
  expect(reported).toEqual([]);
});

it('prints columns of the same width, and the reason of a server that is skipped', () => {
  const { context } = createStubContext('.', () => undefined);
  const lines: string[] = [];
  const report = createServerReporter(context, ['a', 'notes'], { json: false, print: line => lines.push(line) });
  report({ ...connected, name: 'a' });
  const invalid = [{ name: 'notes', error: new TenonError('config/missing', 'no value') }];
  for (const server of listSkipped({ broken: [] }, { failed: invalid, refused: [] })) report(server);
  expect(lines).toEqual([
    '  a       connected      2026-07-28', //
    '  notes   failed         no value',
  ]);
});
