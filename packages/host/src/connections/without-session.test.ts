import { expect, it } from 'vitest';
import { tool } from '../../../tenon/src/server/definitions/tool.js';
import { createServer } from '../../../tenon/src/server/server.js';
import { openSession, runtimes } from '../../../tenon/src/transports/http/fixtures/sites.js';
import { createTransportPair } from '../../../tenon/src/transports/memory.js';
import { createHost } from '../index.js';

it.each(runtimes)(
  'uses one connection to a server for all POSTs of a gateway without sessions, over $name',
  async ({ open }) => {
    const server = createServer({ name: 'upstream', version: '1', tools: { plain: tool({ run: () => 'done' }) } });
    let connections = 0;
    const service = async () => {
      connections += 1;
      const pair = createTransportPair();
      await server.connect(pair.server);
      return pair.client;
    };
    const host = await createHost({ servers: { upstream: { service } } });
    const site = await open(host.toServer(), { sessions: false });
    const { response, post } = await openSession(site, '2025-11-25');
    expect(response.headers.get('mcp-session-id')).toBeNull();
    const params = { name: 'upstream__plain', arguments: {} };
    for (let id = 1; id <= 3; id++) {
      const listed = await (await post({ jsonrpc: '2.0', id, method: 'tools/list' })).json();
      expect(listed).toMatchObject({ result: { tools: [{ name: expect.stringContaining('plain') }] } });
      params.name = (listed as { result: { tools: { name: string }[] } }).result.tools[0]?.name ?? '';
      const called = await (await post({ jsonrpc: '2.0', id, method: 'tools/call', params })).json();
      expect(called).toMatchObject({ result: { content: [{ text: 'done' }] } });
    }
    expect(connections).toBe(1);
    await site.close({ timeout: 0 });
    await host.close();
  },
);
