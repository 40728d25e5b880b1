import { fileURLToPath } from 'node:url';
import { createHost } from '@tenon/host';
import { connect, type JsonObject } from 'tenon';
import { serveHttp } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectWith, runTenon } from './command.js';

const program = fileURLToPath(new URL('./fixtures/integer-server.mjs', import.meta.url));
const server = { command: process.execPath, args: [program] };

describe('an integer beyond the precision of a number', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  beforeAll(async () => {
    project = await projectWith({ integers: server });
  });
  afterAll(() => project.remove());
  const call = (...args: string[]) => runTenon(project.folder, ['call', 'integers', ...args, '--trust']);

  it.each([
    [['echo', 'n=9007199254740993']],
    [['echo', 'any=9007199254740993']],
    [['echo', 'any:=[{"a":9007199254740993}]']],
    [['echo(n: 9007199254740993)']],
    [['echo', '--args', '{"n":9007199254740993}']],
  ])('is refused as an argument of the command: %j', async args => {
    const { code, err } = await call(...args);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('9007199254740993 cannot be sent exactly') });
  });

  it('is sent as text, and other numbers unchanged', async () => {
    expect((await call('echo', 'any="9007199254740993"')).out).toContain('9007199254740993');
    expect((await call('echo', 'n=9007199254740991')).out).toContain('{"n":9007199254740991}');
  });

  it('is printed as the server sent it', async () => {
    const { out } = await call('echo', '--json');
    expect(out).toContain('1716239022123456789');
    expect(out).toContain('-9007199254740993');
  });

  it('passes a gateway unchanged in results, and is refused in arguments', async () => {
    const host = await createHost({ servers: { integers: server }, prefix: 'never' });
    const { url, close } = await serveHttp(host.toServer(), { port: 0, allowUnauthenticated: true });
    const send = async (input: string, version = '2026-07-28') => {
      const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"${version}","io.modelcontextprotocol/clientCapabilities":{}}`;
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          'mcp-protocol-version': version,
          'mcp-method': 'tools/call',
          'mcp-name': 'echo',
        },
        body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":${input},${meta}}}`,
      });
      return response.text();
    };
    const text = await send('{"n":1}');
    expect(text).toContain('"structuredContent":{"id":1716239022123456789,"list":[-9007199254740993]}');
    const refused = await send('{"any":{"deep":9007199254740993}}');
    expect(refused).toContain('the integer 9007199254740993 cannot be represented exactly');
    expect(refused).toContain('-32602');
    const client = await connect(url);
    const { structuredContent } = await client.callTool('echo', { n: 1 });
    expect((structuredContent as JsonObject).id).toBe(Number('1716239022123456789'));
    await client.close();
    await close();
    await host.close();
  });
});
