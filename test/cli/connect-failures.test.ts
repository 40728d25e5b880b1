import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectWith, runTenon } from './command.js';

/** Text that would change the colour and the direction of a terminal. */
const UNSAFE = '\u001b[31mred\u009b31m\u202e';

describe('a command whose target is not a server', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  const web = createServer(({ url }, response) => {
    if (url === '/page') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>hello');
    else if (url === '/unsafe') response.writeHead(400, { 'content-type': 'text/plain' }).end(UNSAFE);
    else response.writeHead(Number(url?.slice(1)), { 'content-type': 'text/plain' }).end('no');
  });
  beforeAll(async () => {
    project = await projectWith({});
    await once(web.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(async () => {
    web.closeAllConnections();
    await project.remove();
  });
  const list = (...args: string[]) => runTenon(project.folder, ['list', ...args]);
  const listScript = (script: string, ...args: string[]) => list(...args, '--', process.execPath, '--eval', script);
  const getPort = () => (web.address() as AddressInfo).port;

  it.each(['501', '405', 'page'])('reports a missing MCP endpoint: %s [cli.exit]', async path => {
    const { code, err } = await list(`http://127.0.0.1:${getPort()}/${path}`);
    expect({ code, err }).toEqual({ code: 4, err: expect.stringContaining('no MCP endpoint at this URL') });
    expect(err).toContain('tenon doctor');
    expect(err).not.toContain('effect');
  });

  it('does not warn of an effect after a failed first request', async () => {
    const { code, err } = await list(`http://127.0.0.1:${getPort()}/500`);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('status 500') });
    expect(err).not.toContain('effect');
  });

  it('prints no control characters of a server', async () => {
    const text = await list(`http://127.0.0.1:${getPort()}/unsafe`);
    expect(text.err).toContain('status 400');
    expect(text.err).not.toMatch(/[\u001b\u009b\u202e]/);
    const json = await list(`http://127.0.0.1:${getPort()}/unsafe`, '--json');
    expect(json.err).not.toMatch(/[\u001b\u009b\u202e]/);
    // Messages of errors contain it escaped, because they also reach logs.
    expect(JSON.parse(json.err).cause).toContain('\\u{1B}[31mred\\u{9B}31m\\u{202E}');
  });

  it('proposes a complete URL', async () => {
    const host = `127.0.0.1:${getPort()}`;
    expect((await list(host)).err).toContain(`its start. Pass http://${host}/mcp.`);
    expect((await list(`${host}/api`)).err).toContain(`Pass http://${host}/api.`);
  });

  it('names a port without TLS', async () => {
    const { code, err } = await list(`https://127.0.0.1:${getPort()}/mcp`);
    expect({ code, err }).toEqual({ code: 4, err: expect.stringContaining('does not speak TLS') });
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  it('recognizes a program that repeats its input [cli.exit]', async () => {
    const { code, err } = await listScript('process.stdin.pipe(process.stdout)');
    expect({ code, err }).toEqual({ code: 4, err: expect.stringContaining('repeats its input') });
  });

  it('lists the tools of a program that exits at unknown methods and versions', async () => {
    const script = `
      require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
        const { id, method, params } = JSON.parse(line);
        const results = {
          initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } },
          'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
        };
        if (id === undefined) return;
        if (!(method in results)) process.exit(1);
        const isRefused = method === 'initialize' && params.protocolVersion !== '2025-06-18';
        const error = { code: -32000, message: 'unknown version' };
        console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(isRefused ? { error } : { result: results[method] }) }));
        if (isRefused) process.exit(1);
      });`;
    const { code, out } = await listScript(script);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('echo') });
  });

  it('quotes the output of a program that does not respond', async () => {
    const script = `console.log('Server starting on port 3000...'); process.stdin.resume();`;
    const { code, err } = await listScript(script, '--timeout', '1s');
    expect({ code, err }).toEqual({ code: 8, err: expect.stringContaining('“Server starting on port 3000...”') });
    expect(err).toContain('tenon doctor');
  });

  it('names a missing environment variable, and repeats nothing', async () => {
    const { code, err } = await listScript(`console.error('missing API_KEY'); process.exit(3);`);
    expect({ code, lines: err.trim().split('\n').slice(1) }).toEqual({
      code: 4,
      lines: [
        '  missing API_KEY',
        'Set the environment variable, and pass it to the server with --pass API_KEY or --env API_KEY=VALUE.',
      ],
    });
  });
});
