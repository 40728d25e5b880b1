import { mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bin } from '../../scripts/process.mjs';
import { installRuntimes, runtimes } from '../../scripts/runtimes.mjs';
import { isFull } from '../support/extent.js';
import { buildCommand, EVERYTHING, projectWith, runTenon } from './command.js';

describe('tenon conformance', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  beforeAll(async () => {
    await buildCommand();
    await installRuntimes();
    project = await projectWith({});
  });
  afterAll(() => project.remove());
  const conformance = (...args: string[]) => runTenon(project.folder, ['conformance', ...args]);

  it('names how to install the suite', async () => {
    const { code, out, err } = await conformance('http://127.0.0.1:9/mcp');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('npm install --save-dev @modelcontextprotocol/conformance');
  });

  it('refuses options for messages of the protocol, which it does not see', async () => {
    const { code, err } = await conformance('http://127.0.0.1:9/mcp', '--wire', 'out.ndjson');
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("unknown option '--wire'") });
    const help = (await conformance('--help')).out;
    expect(help).toContain('maximum time of each scenario');
    expect(help).not.toContain('messages of the protocol');
  });

  const installSuite = async () => {
    const folder = join(project.folder, 'node_modules/@modelcontextprotocol');
    await mkdir(folder, { recursive: true });
    await symlink(dirname(dirname(bin('@modelcontextprotocol/conformance'))), join(folder, 'conformance'), 'junction');
  };

  describe('with an installed suite', () => {
    beforeAll(installSuite);

    it.runIf(isFull)('runs the official suite against a process, behind a bridge [cli.conformance]', async () => {
      await project.write('known.yaml', 'server:\n  - prompts-get-simple\n');
      const options = ['--node', runtimes.node24, '--scenario', 'tools-list,prompts-get-simple'];
      const reports = ['--json', '--junit', 'out.xml'];
      const failing = await runTenon(project.folder, ['conformance', ...options, ...reports, '--', ...EVERYTHING]);
      const report = JSON.parse(failing.out);
      expect(failing.code).toBe(1);
      expect(report).toMatchObject({
        scenarios: ['tools-list', 'prompts-get-simple'],
        exit: 1,
        counts: { problem: 1 },
      });
      expect(report.findings.find((each: { severity: string }) => each.severity === 'problem')).toMatchObject({
        id: 'prompts-get-simple.prompts-get-simple',
        cause: expect.stringContaining('fixed name'),
        fix: expect.stringContaining('--baseline'),
      });
      expect(await readFile(project.path('out.xml'), 'utf8')).toContain('failures="1"');
      const alone = ['--node', runtimes.node24, '--scenario', 'prompts-get-simple'];
      const known = await conformance(...alone, '--baseline', 'known.yaml', '--', ...EVERYTHING);
      expect(known).toMatchObject({ code: 0, out: expect.stringContaining('0 problems, 0 warnings, 1 info') });
    });

    it.each([
      [[], 'no target'],
      [['--baseline', 'none.yaml', 'http://127.0.0.1:9/mcp'], 'cannot read'],
      [['--node', 'no-such-node', '--client', 'node client.js'], 'cannot start'],
    ])('exits with 2 for invalid arguments: %j', async (args, problem) => {
      const { code, err } = await conformance(...args);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(problem) });
    });

    it.each([['http://127.0.0.1:9/mcp'], ['--', process.execPath, '-e', 'process.exit(3)']])(
      'exits with 4 for a server that cannot be reached: %s',
      async (...args) => {
        const { code, out, err } = await conformance('--json', ...args);
        expect({ code, out, report: JSON.parse(err) }).toMatchObject({ code: 4, out: '', report: { exit: 4 } });
      },
    );
  });
});
