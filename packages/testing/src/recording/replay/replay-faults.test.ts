import { connect, createTransportPair } from 'tenon';
import { describe, expect, it } from 'vitest';
import { connectPair } from '../../connect-pair.js';
import { type MessageFault, malformed, withFaults } from '../../faults.js';
import { createNotesServer } from '../fixtures/notes-server.js';
import { recordSession } from '../fixtures/record-session.js';
import { replayToServer } from './replay-client.js';
import { createReplayServer } from './replay-server.js';

type Line = { readonly id?: unknown; readonly method?: string; readonly result?: unknown; readonly _meta: object };

/** Records a call, and changes the lines of its request and its response. */
async function record(change: (request: Line, response: Line) => readonly object[]): Promise<string> {
  const text = await recordSession(client => client.callTool('count'), { protocolVersion: '2025-06-18' });
  const lines = text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Line);
  const request = lines.find(({ method }) => method === 'tools/call');
  const response = lines.find(({ id, method }) => method === undefined && id === request?.id);
  if (!request || !response) throw new Error('the call is not recorded');
  const others = lines.filter(line => line !== request && line !== response);
  return [...others, ...change(request, response)].map(line => JSON.stringify(line)).join('\n');
}

const mark = (line: Line, fault: MessageFault) => ({ ...line, _meta: { ...line._meta, fault } });
const error = { code: -32_600, message: 'params: expected an object' };
const refuse = ({ result: _, ...line }: Line) => ({ ...line, error });
const HANDSHAKE = { protocolVersion: '2025-06-18' } as const;

describe('the replay of a recording with faults', () => {
  it('does not wait for a request that was lost before the server', async () => {
    const text = await record((request, response) => [mark(request, { kind: 'drop' }), request, response]);
    const server = createReplayServer(text);
    const client = await connectPair(server, HANDSHAKE);
    expect((await client.callTool('count')).structuredContent).toEqual({ count: 1 });
    expect([...server.mismatches, ...server.remaining]).toEqual([]);
    await client.close();
  });

  it('sends a message once that a resumed stream has again', async () => {
    const progress = (line: Line) => ({
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level: 'info', data: 'once' },
      _meta: line._meta,
    });
    const text = await record((request, response) => [
      request,
      mark(progress(response), { kind: 'cut' }),
      progress(response),
      response,
    ]);
    const received: string[] = [];
    const client = await connectPair(createReplayServer(text), {
      ...HANDSHAKE,
      onMessage: (from, message) => void (from === 'server' && received.push(JSON.stringify(message))),
    });
    await client.callTool('count');
    expect(received.filter(each => each.includes('once'))).toHaveLength(1);
    await client.close();
  });

  it('answers a malformed request as recorded, and another one as servers do', async () => {
    const text = await record((request, response) => [mark(request, malformed), refuse(response)]);
    const server = createReplayServer(text);
    const wrapTransport = (transport: Parameters<typeof withFaults>[0]) =>
      withFaults(transport, {
        send: message => (JSON.stringify(message).includes('tools/call') ? malformed : undefined),
      });
    await using client = await connect(server, { ...HANDSHAKE, validate: 'off', wrapTransport });
    await expect(client.callTool('count')).rejects.toMatchObject({
      rpcCode: -32_600,
      message: expect.stringContaining('expected an object'),
    });
    await expect(client.callTool('count')).rejects.toMatchObject({
      rpcCode: -32_600,
      message: expect.stringContaining('Invalid request'),
    });
    expect(server.mismatches).toEqual([]);
  });

  it('sends a malformed request to a server, and compares the response', async () => {
    const open = async () => {
      const pair = createTransportPair();
      await createNotesServer().connect(pair.server);
      return pair.client;
    };
    const text = await record((request, response) => [mark(request, malformed), refuse(response)]);
    const report = await replayToServer(text, open, { ignore: ['/error/message'] });
    expect(report.differences).toEqual([]);
  });
});
