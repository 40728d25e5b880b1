import { createServer as createTcpServer } from 'node:net';
import { createServer, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checks } from './checks/index.js';
import { getVersionTimeout } from './create-context.js';
import type { DoctorReport } from './finding.js';
import { type Faults, startFaultyServer } from './fixtures/faulty-server.js';
import { formatFindings } from './format-findings.js';
import { type DoctorOptions, runDoctor } from './run-doctor.js';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const examine = (url: string, options: DoctorOptions = {}) =>
  runDoctor({ url }, url, { samples: 1, timeout: 30_000, ...options });

async function examineFaulty(faults: Faults, options?: DoctorOptions): Promise<DoctorReport> {
  const { url, close } = await startFaultyServer(faults);
  closers.push(close);
  return examine(url, options);
}

/** Ids of the findings that are not in order, with their severity. */
const listIds = ({ findings }: DoctorReport) =>
  findings.filter(({ severity }) => severity !== 'ok').map(({ id, severity }) => `${severity} ${id}`);

const find = ({ findings }: DoctorReport, id: string) => findings.find(each => each.id === id);

const titles = Object.fromEntries(checks.map(({ id, title }) => [id, title]));

describe('doctor', () => {
  it('finds no problem in a clean server [cli.doctor]', async () => {
    const add = tool({
      description: 'Adds two numbers',
      annotations: { readOnlyHint: true, openWorldHint: false },
      input: z.object({ a: z.number().describe('first'), b: z.number().describe('second') }),
      output: z.object({ sum: z.number() }),
      run: ({ a, b }) => ({ sum: a + b }),
    });
    const server = createServer({ name: 'clean', version: '1.0.0', tools: { add } });
    const { url, close } = await serveHttp(server, { port: 0, allowUnauthenticated: true });
    closers.push(close);
    const report = await examine(url, { skip: ['latency'], calls: ['add(a: 1, b: 2)'] });
    expect(listIds(report)).toEqual([]);
    expect(report).toMatchObject({ exit: 0, server: { name: 'clean', version: '1.0.0' } });
    expect(find(report, 'calls.add')).toMatchObject({ severity: 'ok' });
    const text = formatFindings(report, { titles, all: false }, (_, each) => each).replaceAll(url, 'URL');
    expect(text).toMatchInlineSnapshot(`
      "clean 1.0.0  protocol 2026-07-28  URL
      0 problems, 0 warnings, 0 info, 22 ok

      In order: connection, path, tls, transport, cors, host and origin, protocol versions, authorization, resumption, cancellation, caching, tool schemas, tool names, texts for the model, annotations, context budget, tool calls"
    `);
    const complete = formatFindings(report, { titles, all: true }, (_, each) => each);
    expect(complete).toContain('Not examined: stdio (no process is started)');
  });

  it('finds each problem of a careless server, with a cause or a fix [cli.doctor]', async () => {
    const schema = { type: 'object', properties: {} };
    const report = await examineFaulty(
      {
        careless: true,
        sessionId: 'abc',
        ignoresSessions: true,
        notificationStatus: 200,
        getStatus: 500,
        headers: {
          'access-control-allow-origin': '*',
          'access-control-allow-credentials': 'true',
          'access-control-allow-headers': 'content-type',
        },
        tools: [
          { name: 'get.user', description: 'x', inputSchema: { type: 'object', properties: { 'a b': {} } } },
          { name: 'get_user', inputSchema: { ...schema, anyOf: [{}] } },
          { name: 'twice', description: 'x', inputSchema: { type: 'object', $ref: 'https://schemas.example/x.json' } },
          { name: 'twice', description: 'x', inputSchema: { type: 'object', required: 'all' } },
          { name: 'n'.repeat(70), description: 'x', inputSchema: schema },
          { name: 'big', description: 'x '.repeat(30_000), inputSchema: schema },
          {
            name: 'wipe',
            description: 'x',
            annotations: { readOnlyHint: true, destructiveHint: true },
            inputSchema: { type: 'object', properties: { c: { enum: Array.from({ length: 101 }, (_, n) => n) } } },
          },
        ],
      },
      { skip: ['latency'] },
    );
    expect(listIds(report)).toMatchInlineSnapshot(`
      [
        "problem transport.get",
        "warning transport.media-type",
        "warning transport.invalid-json",
        "warning transport.notification",
        "warning transport.unknown-session",
        "warning cors.preflight",
        "problem cors.credentials",
        "warning cors.exposed",
        "problem origin.rebinding",
        "info versions.newest",
        "problem schemas.invalid",
        "warning schemas.combination",
        "warning schemas.description",
        "info schemas.parameters",
        "problem schemas.reference",
        "warning schemas.enum",
        "warning schemas.keys",
        "problem names.duplicate",
        "warning names.alike",
        "warning names.openai-anthropic",
        "warning annotations.contrary",
        "info annotations.missing",
        "warning budget.total",
        "info budget.text",
      ]
    `);

    expect(find(report, 'schemas.combination')?.title).toMatch(/^1 input schema with `\w+`(?: or `\w+`)* at the root$/);
    expect(report.exit).toBe(1);
    for (const finding of report.findings.filter(({ severity }) => severity === 'problem' || severity === 'warning'))
      expect(finding.cause ?? finding.fix, finding.id).toBeDefined();
  });

  it('fails for warnings only with `strict`', async () => {
    const faults = { tools: [{ name: 'silent', inputSchema: { type: 'object' } }] };
    const options = { only: ['schemas'] };
    expect(await examineFaulty(faults, options)).toMatchObject({ exit: 0, counts: { warning: 1 } });
    expect(await examineFaulty(faults, { ...options, strict: true })).toMatchObject({ exit: 1 });
  });

  it('reports an input schema without the type "object"', async () => {
    const report = await examineFaulty({ tools: [{ name: 'x', description: 'x', inputSchema: {} }] });
    expect(JSON.stringify(report.findings)).toContain('inputSchema');
    expect(report.exit).toBe(1);
  });

  it('reports a response that is JSON with another media type', async () => {
    const { url, close } = await startFaultyServer({
      intercept(_request, response) {
        const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'x', version: '1' } };
        response.writeHead(200, { 'content-type': 'text/html' }).end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
        return true;
      },
    });
    closers.push(close);
    const report = await examine(url, { only: ['path'] });
    expect(find(report, 'path.media-type')?.fix).toContain('application/json');
    expect(find(report, 'path.other-path')).toBeUndefined();
  });

  it('finds the endpoint at another path, and redirects', async () => {
    const { url, close } = await startFaultyServer({
      intercept(request, response) {
        if (request.url === '/mcp') return false;
        response
          .writeHead(request.url === '/old' ? 301 : 404, request.url === '/old' ? { location: '/mcp' } : {})
          .end();
        return true;
      },
    });
    closers.push(close);
    const wrong = await examine(url.replace('/mcp', '/wrong'));
    expect(find(wrong, 'path.other-path')).toMatchObject({ severity: 'problem', fix: `use ${url}` });
    expect(wrong.exit).not.toBe(0);
    const redirected = await examine(url.replace('/mcp', '/old'), { only: ['path'] });
    expect(find(redirected, 'path.redirect')?.fix).toContain(url);
  });

  it('names the versions to which a server responds incorrectly', async () => {
    const report = await examineFaulty({
      intercept(request, response) {
        const isStateless = request.headers['mcp-method'] === 'server/discover';
        if (isStateless) response.writeHead(400).end();
        return isStateless;
      },
    });
    const wrong = report.findings.filter(({ id, severity }) => id.startsWith('versions.') && severity === 'problem');
    expect(wrong).toHaveLength(1);
    const single = await examineFaulty({ version: report.protocolVersion ?? '' }, { only: ['versions'] });
    expect(listIds(single)).toEqual(['info versions.newest']);
  });

  it('exits with 4 when nothing listens, and names the reason', async () => {
    const tcp = createTcpServer().listen(0, '127.0.0.1');
    await new Promise(resolve => tcp.once('listening', resolve));
    const address = tcp.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await new Promise(resolve => tcp.close(resolve));
    const report = await examine(`http://127.0.0.1:${port}/mcp`);
    expect(report).toMatchObject({ exit: 4, server: null, protocolVersion: null });
    expect(find(report, 'connection.failed')?.seen).toContain('http/unreachable');
  });

  it('classifies a name that does not resolve as no public host', async () => {
    const report = await examine('http://mcp.invalid/mcp', { only: ['connection', 'tls'] });
    expect(listIds(report)).toEqual(['problem connection.failed']);
  });

  it('suggests the other paths at a web server without MCP', async () => {
    const { url, close } = await startFaultyServer({
      intercept(_request, response) {
        response.writeHead(501, { 'content-type': 'text/plain' }).end('no');
        return true;
      },
    });
    closers.push(close);
    const report = await examine(url, { only: ['connection', 'path'] });
    expect(report).toMatchObject({ exit: 4 });
    expect(find(report, 'connection.failed')).toMatchObject({
      seen: 'http/no-endpoint: no MCP endpoint at this URL (HTTP 501)',
      fix: 'see the findings of the check `path`',
    });
    expect(find(report, 'path.not-found')?.seen).toContain('HTTP 501');
  });

  it('suggests the logs of a server that gives no reason', async () => {
    const { url, close } = await startFaultyServer({
      intercept(_request, response) {
        response.writeHead(400).end('no');
        return true;
      },
    });
    closers.push(close);
    const report = await examine(url, { only: ['connection'] });
    expect(find(report, 'connection.failed')?.fix).toBe('see the logs of the server');
  });

  it('gives other versions more time after a slow first connection', () => {
    expect(getVersionTimeout(10_000, 300)).toBe(10_000);
    expect(getVersionTimeout(10_000, 6_000)).toBe(30_000);
  });

  it('reports no wrong version for a server that answers the probe slowly', async () => {
    const refuse = ({ id }: { readonly id: number }) =>
      JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
    const faults: Faults = {
      intercept(request, response) {
        if (request.headers['mcp-method'] !== 'server/discover') return false;
        request.once('data', body => {
          const answer = () =>
            response.writeHead(200, { 'content-type': 'application/json' }).end(refuse(JSON.parse(body)));
          setTimeout(answer, 1500);
        });
        return true;
      },
    };
    const report = await examineFaulty(faults, { only: ['versions'], timeout: 1000 });
    expect(listIds(report)).toEqual(['info versions.newest']);
  });

  it('reports the code and the data of a JSON-RPC error', async () => {
    const { url, close } = await startFaultyServer({
      intercept(request, response) {
        if (request.method !== 'POST') return false;
        const error = { code: -32055, message: 'closed', data: { why: 'night' } };
        request.once('data', body => {
          const { id } = JSON.parse(String(body)) as { id: number };
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
        });
        return true;
      },
    });
    closers.push(close);
    const report = await examine(url, { only: ['connection'] });
    expect(find(report, 'connection.failed')).toMatchObject({
      seen: 'peer/error -32055: initialize: closed',
      rpcCode: -32055,
      data: { why: 'night' },
    });
  });

  it('names a port without TLS', async () => {
    const { url, close } = await startFaultyServer();
    closers.push(close);
    const report = await examine(url.replace('http:', 'https:'), { only: ['connection', 'tls'] });
    expect(find(report, 'tls.handshake')).toMatchObject({ seen: 'the response is not TLS' });
    expect(find(report, 'connection.failed')?.seen).toContain('does not speak TLS');
  });

  it('prints no control characters of a server', () => {
    const unsafe = '\u001b[31mred\u009b31m\u202e';
    const report: DoctorReport = {
      target: unsafe,
      server: { name: unsafe, version: unsafe },
      protocolVersion: null,
      skipped: [],
      exit: 1,
      counts: { ok: 0, info: 0, warning: 0, problem: 1 },
      findings: [{ id: `names.${unsafe}`, severity: 'problem', title: unsafe, seen: unsafe, fix: unsafe }],
    };
    const text = formatFindings(report, { titles: { names: 'Names' }, all: false }, (_, each) => each);
    expect(text).toContain('red');
    expect(text).not.toMatch(/[\u001b\u009b\u202e]/);
  });

  it('rejects unknown checks', async () => {
    await expect(examine('http://127.0.0.1:9/', { only: ['colour'] })).rejects.toThrow('unknown check: colour');
  });
});
