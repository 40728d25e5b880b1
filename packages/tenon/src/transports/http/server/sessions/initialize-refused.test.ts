import { describe, expect, it } from 'vitest';
import { createHandler } from '../../../../http.js';
import { createServer } from '../../../../server/server.js';

describe('initialize over HTTP on a server whose versions have no handshake', () => {
  it('is refused with the missing header and the versions that are served [compat.version-header-absent-rejected]', async () => {
    const server = createServer({ name: 's', version: '1', protocolVersions: ['2026-07-28'] });
    const handler = createHandler(server);
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const response = await handler(new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body }));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      id: 1,
      error: {
        code: -32020,
        message: expect.stringMatching(/MCP-Protocol-Version.*Unsupported protocol version.*2026-07-28/),
        data: { supported: ['2026-07-28'], requested: 'initialize' },
      },
    });
    await handler.close();
  });
});
