import { readFile } from 'node:fs/promises';
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

  const numbers = [
    ...['9007199254740993', '1152921504606846976', '-9007199254740995', '9223372036854775807', '1e400', '-0'],
    '0.12345678901234567891',
  ];

  it.each([
    ['text', ['list', 'integers', '--schema', '--trust'], numbers],
    [
      'JSON',
      ['list', 'integers', '--json', '--trust'],
      [...numbers, '"size":9007199254740993', '"build":9007199254740993'],
    ],
    [
      'types',
      ['types', 'integers', '--trust'],
      [
        '@default 9007199254740993',
        '9007199254740993 | 1152921504606846976 | 1',
        ': -9007199254740995',
        '@default 1e400',
        '@default 0.12345678901234567891',
      ],
    ],
  ])('is written with all digits in the definitions of tools as %s', async (_, args, expected) => {
    const { out, err } = await runTenon(project.folder, args);
    for (const number of expected)
      expect(`${out}${err}`).toMatch(new RegExp(`${number.replaceAll(/[.+|]/g, '\\$&')}(?![\\d.])`));
    expect(out).not.toMatch(/90071992547409(?:92|94|96)|922337203685477(?:6000|5808)|1152921504606847000|Infinity/);
  });

  it('stands in the lock as the server sent it, and another one is a change', async () => {
    const lock = await runTenon(project.folder, ['lock', '--yes', '--trust']);
    expect(lock).toMatchObject({ code: 0 });
    const text = await readFile(project.path('mcp.lock'), 'utf8');
    for (const number of numbers) expect(text).toContain(number);
    expect(await runTenon(project.folder, ['lock', '--check', '--trust'])).toMatchObject({ code: 0 });
    const changed = (await readFile(program, 'utf8')).replaceAll('9223372036854775807', '9223372036854775805');
    await project.write('changed.mjs', changed);
    await project.write('mcp.json', { mcpServers: { integers: { ...server, args: [project.path('changed.mjs')] } } });
    const { code, out, err } = await runTenon(project.folder, ['lock', '--check', '--trust', '--json']);
    await project.write('mcp.json', { mcpServers: { integers: server } });
    expect(code).not.toBe(0);
    expect(`${out}${err}`).toContain('9223372036854775805');
  });

  it.each(['json', 'yaml'])('stands in a server that is written from an OpenAPI document in %s', async format => {
    const document = `{"openapi":"3.1.0","info":{"title":"t","version":"1"},"servers":[{"url":"https://a.example"}],"paths":{"/a":{"get":{"operationId":"a",
      "parameters":[{"name":"n","in":"query","schema":{"type":"integer","maximum":9223372036854775807,"enum":[9007199254740993,2]}}],"responses":{"200":{"description":"ok"}}}}}}`;
    const file = `api.${format}`;
    await project.write(file, format === 'json' ? document : `# YAML\n${document}`);
    const { code, err } = await runTenon(project.folder, ['import-openapi', file, '--out', `${format}.ts`]);
    expect({ code, err }).toMatchObject({ code: 0 });
    const written = await readFile(project.path(`${format}.ts`), 'utf8');
    expect(written).toContain('9223372036854775807');
    expect(written).toContain('9007199254740993');
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
    for (const number of ['"large":1e400', '"zero":-0,', '"long":0.12345678901234567891'])
      expect(text).toContain(number);
    expect(text).toContain('"structuredContent":{"id":1716239022123456789,"list":[-9007199254740993],');
    expect(text).toContain('"power":1152921504606846976');
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
