import { describe, expect, it } from 'vitest';
import { createTap, schemasPresent } from './official-schema.js';

const ask = (id: unknown, method: string, params: object = {}) => ({ jsonrpc: '2.0', id, method, params });
const answer = (id: unknown, result: object = {}) => ({ jsonrpc: '2.0', id, result });
const initialize = (protocolVersion: string) => ({
  protocolVersion,
  capabilities: {},
  clientInfo: { name: 'a', version: '1' },
});
const meta = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'a', version: '1' },
  },
};

describe.skipIf(!schemasPresent)('createTap', () => {
  it('selects the type of a response by the request with its id, from the other side', () => {
    const tap = createTap('2025-06-18');
    tap.clientSends(ask(1, 'tools/list'));
    tap.serverSends(ask(1, 'roots/list'));
    expect(tap.serverSends(answer(1, { tools: [] }))).toEqual([]);
    expect(tap.clientSends(answer(1, { tools: [] }))).not.toEqual([]);
    expect(tap.seen).toEqual({ client: 2, server: 2 });
    expect(tap.issues).toHaveLength(1);
  });

  it('distinguishes "1" from 1', () => {
    const tap = createTap('2025-06-18');
    tap.clientSends(ask(1, 'tools/list'));
    expect(tap.serverSends(answer('1', { tools: [] }))).not.toEqual([]);
  });

  it('reports a second response, a response without a request, and an id that is used twice at once', () => {
    const tap = createTap('2025-06-18');
    tap.clientSends(ask(1, 'ping'));
    expect(tap.clientSends(ask(1, 'ping'))).not.toEqual([]);
    expect(tap.serverSends(answer(1))).toEqual([]);
    expect(tap.serverSends(answer(1))).not.toEqual([]);
    expect(tap.serverSends({ jsonrpc: '2.0', id: 9, error: { code: -32603, message: 'no' } })).not.toEqual([]);
    expect(tap.clientSends(ask(1, 'ping'))).toEqual([]);
  });

  it('allows the id of a cancelled request again', () => {
    const tap = createTap('2025-06-18');
    tap.clientSends(ask(1, 'ping'));
    tap.clientSends({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    expect(tap.clientSends(ask(1, 'ping'))).toEqual([]);
  });

  it('validates a handshake by the protocol version that it names', () => {
    const tap = createTap('2024-11-05', { exact: true });
    const offer = { ...initialize('2025-11-25'), capabilities: { elicitation: { form: {} } } };
    expect(tap.clientSends(ask(0, 'initialize', offer))).toEqual([]);
    const serverInfo = { name: 'b', version: '1' };
    expect(tap.serverSends(answer(0, { protocolVersion: '2024-11-05', capabilities: {}, serverInfo }))).toEqual([]);
    expect(
      tap.clientSends(ask(1, 'initialize', { ...initialize('2024-11-05'), capabilities: { elicitation: {} } })),
    ).not.toEqual([]);
  });

  it('validates a probe by the protocol version in its _meta', () => {
    const tap = createTap('2025-11-25');
    expect(tap.clientSends(ask(0, 'server/discover', meta))).toEqual([]);
    expect(tap.serverSends({ jsonrpc: '2.0', id: 0, error: { code: -32601, message: 'no' } })).toEqual([]);
    expect(tap.clientSends(ask(1, 'server/discover'))).not.toEqual([]);
  });

  it('allows the server of 2026-07-28 no requests', () => {
    expect(createTap('2026-07-28').serverSends(ask(1, 'roots/list'))).not.toEqual([]);
  });

  it('validates batches as a whole and member by member', () => {
    const tap = createTap('2025-03-26');
    expect(tap.clientSends([ask(1, 'ping'), ask(2, 'tools/list')])).toEqual([]);
    expect(tap.serverSends([answer(1), answer(2)])).not.toEqual([]);
    expect(createTap('2025-06-18').clientSends([ask(1, 'ping')])).not.toEqual([]);
  });

  it('accepts configured custom methods', () => {
    const tap = createTap('2025-06-18', { custom: method => method.startsWith('acme/') });
    expect(tap.clientSends(ask(1, 'acme/do'))).toEqual([]);
    expect(tap.serverSends(answer(1, { anything: 1 }))).toEqual([]);
    expect(tap.clientSends(ask(2, 'other/do'))).not.toEqual([]);
  });
});
