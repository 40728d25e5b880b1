import type { WireRow } from '@tenon/console/api';
import { describe, expect, it } from 'vitest';
import { WireLog } from './wire-log.js';

const VERSION = '2026-07-28';
const _meta = { 'io.modelcontextprotocol/protocolVersion': VERSION };

describe('the log of messages', () => {
  const ask = (log: WireLog, connection: number, id: number, params: object = {}): WireRow =>
    log.add({
      ...{ server: 's', connection, from: 'client', call: undefined },
      message: { jsonrpc: '2.0', id, method: 'ping', params: { ...params } },
    });
  const respond = (log: WireLog, connection: number, id: number): WireRow =>
    log.add({
      ...{ server: 's', connection, from: 'server', call: undefined },
      message: { jsonrpc: '2.0', id, result: {} },
    });

  it('forgets the versions of connections that are unused the longest', () => {
    const log = new WireLog(() => {});
    for (const connection of [1, 2]) ask(log, connection, 0, { _meta });
    for (let connection = 3; connection <= 10_001; connection += 1) {
      ask(log, connection, 0, { _meta });
      ask(log, 1, connection);
    }
    expect([1, 2, 10_001].map(connection => respond(log, connection, 0).version)).toEqual([
      VERSION,
      undefined,
      VERSION,
    ]);
  });

  it('forgets the oldest of 20,000 requests without a response', () => {
    const log = new WireLog(() => {});
    for (let id = 0; id <= 20_000; id += 1) ask(log, 1, id);
    expect([0, 1, 20_000].map(id => respond(log, 1, id).method)).toEqual(['', 'ping', 'ping']);
  });
});
