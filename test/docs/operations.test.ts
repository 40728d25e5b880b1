import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '@tenon/host';
import { connect, createServer, tool } from 'tenon';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { serveMetrics } from '../../packages/cli/src/serving/metrics.js';
import { DEFAULT_LIMITS } from '../../packages/tenon/src/transports/http/server/options.js';
import { getProgram, hasPrograms } from '../../scripts/optional-programs.mjs';
import { root } from './pages.js';

const examples = join(root, 'examples/operations');
const read = (file: string) => readFileSync(join(examples, file), 'utf8');
const page = readFileSync(join(root, 'docs/deploy/operations.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'tenon-operations-'));
const alive = new Set<ChildProcess>();
afterAll(() => {
  for (const child of alive) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string };
}

describe('the page about operations', () => {
  it('contains the files of examples/operations', () => {
    const blocks = [...page.matchAll(/^```(?:ini|yaml)\n([\s\S]*?)^```$/gm)].map(([, text]) => text);
    expect(blocks).toEqual([read('notes-server.service'), read('alerts.yaml')]);
  });

  it('names only codes that the page of errors lists', () => {
    const errors = readFileSync(join(root, 'docs/reference/errors.md'), 'utf8');
    const codes = [...page.matchAll(/`((?:store|server|audit|task|call|auth)\/[a-z-]+)`/g)].map(([, code]) => code);
    expect(codes.length).toBeGreaterThan(5);
    expect(codes.filter(code => !errors.includes(`| \`${code}\` |`))).toEqual([]);
  });
});

describe('the alerts of examples/operations', () => {
  const rules: readonly Rule[] = parse(read('alerts.yaml')).groups[0].rules;

  it('use metrics, labels and states that --metrics serves', async () => {
    const { url, telemetry, close } = await serveMetrics({ host: '127.0.0.1', port: 0 });
    const run = () => 'done';
    const service = createServer({ name: 'one', version: '1.0.0', tools: { real: tool({ run }) } });
    const missing = { command: join(folder, 'missing') };
    const host = await createHost({ servers: { one: { service }, missing }, telemetry });
    const client = await connect(host.toServer(), { protocolVersion: '2025-11-25' });
    await client.callTool('one__real');
    await client.callTool('one__invented').catch(() => {});
    await client.callTool('missing__tool').catch(() => {});
    telemetry.countTokenRefresh('one', 'failed');
    const stop = telemetry.observeUnknownFormats(() => [{ kind: 'task', format: '2' }]);
    const text = await (await fetch(url)).text();
    for (const { expr } of rules) {
      const names = [...expr.matchAll(/\b(?:mcp|tenon)_\w+(?=[{[ )])/g)].map(([name]) => name);
      const metrics = names.filter(name => !/^(mcp_method_name|tenon_upstream)$/.test(name));
      for (const name of metrics) expect(text).toMatch(new RegExp(`^${name}[{ ]`, 'm'));
      for (const [, name = '', operator, value = ''] of expr.matchAll(/(\w+)(=|!=|!~)"([^"]*)"/g)) {
        if (name === 'job') continue;
        expect(text).toContain(`${name}="`);
        if (operator === '=') expect(text).toContain(`${name}="${value}"`);
      }
    }
    const upstream = text.split('\n').filter(line => line.startsWith('mcp_client_operation_duration_seconds_count'));
    expect(upstream.some(line => line.includes('tenon_upstream="one"'))).toBe(true);
    stop();
    await client.close();
    await host.close();
    service.close();
    await close();
  });

  it('warn at 80 % of the default limit of sessions', () => {
    const { expr } = rules.find(({ alert }) => alert === 'TenonSessionsNearLimit') ?? { expr: '' };
    expect(Number(/> (\d+)/.exec(expr)?.[1])).toBe(DEFAULT_LIMITS.maxSessions * 0.8);
  });

  it('have unique names and a summary in full sentences', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { annotations } of rules) expect(annotations.summary).toMatch(/\.$/);
  });
});

const units = readdirSync(examples).filter(name => name.endsWith('.service'));
const getSetting = (unit: string, name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

describe.each(units)('the unit %s of systemd', name => {
  const unit = read(name);
  const [program = '', command = '', ...args] = getSetting(unit, 'ExecStart').split(' ');

  it('contains sections with settings', () => {
    const lines = unit.split('\n').filter(line => line !== '' && !line.startsWith('#'));
    expect(lines.filter(line => !/^\[(Unit|Service|Install)\]$|^[A-Z][A-Za-z]+=\S/.test(line))).toEqual([]);
  });

  it.skipIf(!hasPrograms('systemd-analyze'))('passes systemd-analyze', () => {
    // The command is not installed here, and systemd checks that it exists.
    const file = join(folder, name);
    writeFileSync(file, unit.replace(program, process.execPath));
    const { status, stdout, stderr } = spawnSync(getProgram('systemd-analyze'), ['verify', '--man=no', file], {
      encoding: 'utf8',
    });
    expect({ status, output: stdout + stderr }).toEqual({ status: 0, output: '' });
  });

  it('gives the command more time to stop than it needs', () => {
    const delay = Number(/--drain-delay (\d+)s/.exec(unit)?.[1]);
    expect(Number(getSetting(unit, 'TimeoutStopSec'))).toBeGreaterThanOrEqual(delay + 10 + 10);
  });

  it('starts the command, which is ready and ends with 0 on SIGTERM', async () => {
    const state = mkdtempSync(join(folder, 'state-'));
    writeFileSync(join(state, 'seal-keys'), `a:${Buffer.alloc(32, 1).toString('base64')}\n`, { mode: 0o440 });
    const module = JSON.stringify(join(root, 'packages/tenon/dist/esm/index.node.js'));
    const server = `import { createServer } from ${module};
      export const server = createServer({ name: 'notes', version: '1.0.0', tools: {} });`;
    writeFileSync(join(state, 'server.js'), server);
    writeFileSync(join(state, 'package.json'), '{"type":"module"}');
    writeFileSync(join(state, 'policy.json'), '{"rules":[{"action":"allow"}]}');
    const tenon = join(root, 'packages/cli/dist/tenon.mjs');
    const entry = { command: process.execPath, args: [tenon, 'serve', 'server.js', '--stdio'] };
    writeFileSync(join(state, 'mcp.json'), JSON.stringify({ mcpServers: { notes: entry } }));
    const given = args.map(each => each.replace(/\$\{(STATE|CREDENTIALS)_DIRECTORY\}/, state));
    const free = given
      .map(each => each.replace('5s', '1ms'))
      .flatMap(each => (each === '--metrics' ? [each, '0'] : each));
    const child = spawn(process.execPath, [tenon, command, ...free, '--port', '0'], {
      cwd: state,
      env: { PATH: process.env.PATH, TENON_HOME: join(state, 'tenon'), MCP_TOKEN: 'a-token-of-the-test' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    alive.add(child);
    const url = await new Promise<string>((resolve, reject) => {
      let text = '';
      child.stdout?.setEncoding('utf8').on('data', part => {
        text += part;
        const line = text.split('\n').find(each => each.includes('"listening"') && each.endsWith('}'));
        if (line !== undefined) resolve(JSON.parse(line).url);
      });
      child.once('exit', code => reject(new Error(`ended with ${code}`)));
    });
    expect((await fetch(new URL('/readyz', url))).status).toBe(200);
    expect((await fetch(url, { method: 'POST' })).status).toBe(401);
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    alive.delete(child);
    expect(code).toBe(0);
  });
});
