import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFaultyServer } from '../../packages/cli/src/doctor/fixtures/faulty-server.js';
import { startV1Sse, startV1Stateful } from '../interop/fixtures/sdk-v1-http.js';
import { startV2Handler } from '../interop/fixtures/sdk-v2-http.js';
import { isFull } from '../support/extent.js';
import { buildCommand, EVERYTHING, projectWith, runTenon } from './command.js';

interface Report {
  readonly findings: readonly { readonly id: string; readonly severity: string }[];
  readonly protocolVersion: string | null;
}

describe('tenon doctor', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  beforeAll(async () => {
    await buildCommand();
    project = await projectWith({});
  });
  afterAll(() => project.remove());
  const doctor = (...args: string[]) => runTenon(project.folder, ['doctor', ...args]);
  const listSerious = (out: string) =>
    (JSON.parse(out) as Report).findings
      .filter(({ severity }) => severity === 'problem' || severity === 'warning')
      .map(({ id }) => id);

  it('examines a process, prints one JSON object, and writes JUnit XML [cli.doctor]', async () => {
    const { code, out, err } = await runTenon(project.folder, [
      'doctor',
      '--json',
      '--strict',
      '--junit',
      'report.xml',
      '--',
      ...EVERYTHING,
    ]);
    expect({ code, err, lines: out.trimEnd().split('\n').length }).toEqual({ code: 0, err: '', lines: 1 });
    expect(listSerious(out)).toEqual([]);
    const xml = await readFile(project.path('report.xml'), 'utf8');
    expect(xml).toMatch(/^<\?xml version="1.0"[\s\S]*<testsuite name="tenon doctor [^"]*" tests="\d+" failures="0"/);
    expect(xml).toContain('<testcase classname="stdio" name="stdio.noise">');
  });

  it.runIf(isFull)('prints JUnit XML on standard output, and nothing else [cli.doctor]', async () => {
    const { code, out, err } = await doctor('--junit', '-', '--only', 'connection', '--', ...EVERYTHING);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^<\?xml version="1.0"[\s\S]*<\/testsuites>\n$/);
    expect((await doctor('--junit', '-', '--json', '--', ...EVERYTHING)).code).toBe(2);
  });

  it('reports no success about a program that does not start', async () => {
    const { code, out } = await doctor('--json', '--', process.execPath, '--eval', 'process.exit(3)');
    const { findings } = JSON.parse(out) as Report;
    expect([code, findings.filter(({ severity }) => severity === 'ok')]).toEqual([4, []]);
  });

  it.runIf(isFull)(
    'examines official servers of both versions, and finds only their missing checks of Host',
    async () => {
      for (const start of [startV1Stateful, startV2Handler]) {
        const { origin, close } = await start();
        const { code, out } = await doctor(`${origin}/mcp`, '--json', '--skip', 'latency');
        await close();
        // The servers of the fixtures have no descriptions.
        expect({ code, ids: listSerious(out) }).toEqual({ code: 1, ids: ['origin.rebinding', 'schemas.description'] });
      }
    },
  );

  it('examines an official server over HTTP+SSE', async () => {
    const { origin, close } = await startV1Sse();
    const { code, out } = await doctor(`${origin}/sse`, '--json', '--only', 'connection,transport,origin');
    await close();
    expect({ code, ids: listSerious(out) }).toEqual({ code: 1, ids: ['transport.sse-only', 'origin.rebinding'] });
  });

  it('prints findings with causes and fixes, and no colours without a terminal', async () => {
    const { url, close } = await startFaultyServer({ tools: [{ name: 'x', inputSchema: { type: 'object' } }] });
    const { code, out, err } = await doctor(url, '--only', 'schemas,names');
    await close();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.replace(url, 'URL')).toMatchInlineSnapshot(`
      "faulty 1.0.0  protocol 2025-11-25  URL
      0 problems, 1 warning, 0 info, 1 ok

      Tool schemas
        warning  1 of 1 tools have no description  (schemas.description)
                   seen:  x
                   cause: models choose tools by their descriptions
                   fix:   describe the effect of the tool, and when to use it

      In order: tool names
      "
    `);
  });

  it.each([
    [['http://127.0.0.1:9/mcp', '--json'], 4],
    [['http://127.0.0.1:9/mcp', '--only', 'colours'], 2],
    [[], 2],
  ])('exits with a code: %j', async (args, code) => {
    expect((await doctor(...args)).code).toBe(code);
  });
});
