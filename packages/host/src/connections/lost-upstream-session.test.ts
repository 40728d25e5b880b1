import { expect, it } from 'vitest';
import { connectTo } from '../../../tenon/src/client/connect.js';
import { createTransportEndpoint } from '../../../tenon/src/client/connection/endpoint.js';
import { json, type Script, serve } from '../../../tenon/src/transports/http/client/fixtures/scripted-server.js';
import { createTransportPair } from '../../../tenon/src/transports/memory.js';
import { createHost } from '../index.node.js';

type Refuse = (response: Parameters<Script>[1], id: unknown) => void;

const rpc = (message: string, code: number, own: unknown = null) => ({
  jsonrpc: '2.0',
  id: own,
  error: { code, message },
});

const LOSSES: [name: string, refuse: Refuse, failures: number][] = [
  ['404', response => void response.writeHead(404).end(), 0],
  ['410', response => void response.writeHead(410).end(), 0],
  ['200 and a JSON-RPC error', (response, id) => json(response, rpc('Session not found', -32001, id)), 1],
  ['500 and a text', response => void response.writeHead(500).end('Session not found'), 1],
  ['a closed socket', response => void response.destroy(), 2],
];

/** Serves one tool in sessions, of which a test loses one. */
async function serveSessions(refuse: Refuse) {
  let sessions = 0;
  let lost = '';
  const called: string[] = [];
  const { url } = await serve(({ method, body, headers }, response) => {
    if (method !== 'POST') return void response.writeHead(method === 'DELETE' ? 204 : 405).end();
    const { id, method: name, params } = JSON.parse(body);
    if (name === 'server/discover') return json(response, { jsonrpc: '2.0', id, error: { code: -32601, message: '' } });
    const reply = (result: object, more = {}) => json(response, { jsonrpc: '2.0', id, result }, 200, more);
    if (name === 'initialize') {
      sessions += 1;
      const { protocolVersion } = params;
      const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'up', version: '1' } };
      return reply(result, { 'mcp-session-id': `s${sessions}` });
    }
    if (headers['mcp-session-id'] === lost) return refuse(response, id);
    if (id === undefined) return void response.writeHead(202).end();
    if (name === 'tools/list') return reply({ tools: [{ name: 'add', inputSchema: { type: 'object' } }] });
    called.push(String(headers['mcp-session-id']));
    return reply({ content: [{ type: 'text', text: 'added' }] });
  });
  return {
    url,
    called,
    sessions: () => sessions,
    lose: () => {
      lost = `s${sessions}`;
    },
  };
}

it.each(LOSSES)(
  'opens another session at a server that reported by %s a lost session, and repeats no call that may have run',
  async (_, refuse, failures) => {
    const server = await serveSessions(refuse);
    const host = await createHost({ servers: { up: { url: server.url } } });
    const gateway = host.toServer();
    const open = async () => {
      const pair = createTransportPair();
      await gateway.connect(pair.server);
      return pair.client;
    };
    const client = await connectTo(createTransportEndpoint(open));
    let name = '';
    for await (const tool of client.listTools()) name = tool.name;
    await client.callTool(name);
    server.lose();
    for (let n = 0; n < failures; n++)
      await expect(client.callTool(name)).rejects.toMatchObject({ name: 'TenonError' });
    expect(await client.callTool(name)).toMatchObject({ content: [{ text: 'added' }] });
    expect([server.called, server.sessions()]).toEqual([['s1', 's2'], 2]);
    await client.close();
    await host.close();
  },
);
