import { type ClientOptions, connect, createServer, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cut, type FaultOptions, withFaults } from './faults.js';

const isResponse = (message: unknown) =>
  typeof message === 'object' && message !== null && 'result' in message && JSON.stringify(message).includes('said');

async function open(faults: FaultOptions, options: ClientOptions) {
  let runs = 0;
  const server = createServer({
    name: 'fixture',
    version: '1.0.0',
    tools: {
      say: tool({
        run(_, { progress }) {
          runs += 1;
          progress(1, 2);
          return 'said';
        },
      }),
    },
  });
  const served = await serveHttp(server, { port: 0 });
  const received: unknown[] = [];
  const client = await connect(served.url, {
    ...options,
    onMessage: (from, message) => void (from === 'server' && isResponse(message) && received.push(message)),
    wrapTransport: transport => withFaults(transport, faults),
  });
  onTestFinished(async () => {
    await client.close();
    await served.close();
  });
  return { client, received, getRuns: () => runs };
}

describe('a stream that is cut before its response', () => {
  it('is resumed on 2025-11-25, whose servers number the events', async () => {
    let isCut = false;
    const receive = (message: unknown) => {
      if (isCut || !isResponse(message)) return undefined;
      isCut = true;
      return cut;
    };
    const { client, received, getRuns } = await open({ receive }, { protocolVersion: '2025-11-25' });
    const { content } = await client.callTool('say', {}, { onProgress() {} });
    expect(content).toEqual([{ type: 'text', text: 'said' }]);
    expect([received.length, getRuns()]).toEqual([2, 1]);
  });

  it('is lost on 2026-07-28, which has no resumption', async () => {
    const receive = (message: unknown) => (isResponse(message) ? cut : undefined);
    const { client, getRuns } = await open({ receive }, { protocolVersion: '2026-07-28' });
    await expect(client.callTool('say', {}, { onProgress() {} })).rejects.toMatchObject({
      code: 'call/outcome-unknown',
    });
    expect(getRuns()).toBe(1);
  });
});

describe('a request that is cut', () => {
  it('does not reach the server, and leaves the session open', async () => {
    let isCut = false;
    const send = (message: unknown) => {
      if (isCut || !JSON.stringify(message).includes('tools/call')) return undefined;
      isCut = true;
      return cut;
    };
    const { client, getRuns } = await open({ send }, { protocolVersion: '2025-11-25' });
    await expect(client.callTool('say')).rejects.toMatchObject({ code: 'call/outcome-unknown' });
    expect(getRuns()).toBe(0);
    expect((await client.callTool('say')).content).toHaveLength(1);
    expect(client.state).toBe('connected');
  });
});
