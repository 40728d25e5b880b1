import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bin } from '../../scripts/process.mjs';
import { installRuntimes, runtimes } from '../../scripts/runtimes.mjs';
import { buildCommand, commandLine, projectWith, runTenon } from './command.js';

const fixture = (name: string) => fileURLToPath(new URL(`../conformance/fixtures/start-${name}.mjs`, import.meta.url));

describe('tenon conformance, all of the suite', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  beforeAll(async () => {
    await installRuntimes();
    project = await projectWith({});
    const folder = join(project.folder, 'node_modules/@modelcontextprotocol');
    await mkdir(folder, { recursive: true });
    await symlink(dirname(dirname(bin('@modelcontextprotocol/conformance'))), join(folder, 'conformance'), 'junction');
  }, 120_000);
  afterAll(() => project.remove());
  const conformance = async (...args: string[]) => {
    const all = ['conformance', '--json', '--node', runtimes.node24, ...args];
    const { code, out } = await runTenon(project.folder, all);
    return { code, report: JSON.parse(out) };
  };

  it('finds no problem in a server of this library [cli.conformance]', async () => {
    const child = spawn(process.execPath, [fixture('server'), '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    const [url = ''] = /http:\/\/[^\s"]+/.exec(String(line)) ?? [];
    try {
      for (const args of [
        [],
        ['--requirements', '2026-07-28'],
        ['--suite', 'active', '--protocol-version', '2025-06-18'],
      ]) {
        const { code, report } = await conformance(url, ...args);
        expect({ code, problem: report.counts.problem }).toEqual({ code: 0, problem: 0 });
        expect(report.scenarios.length).toBeGreaterThan(20);
      }
    } finally {
      child.kill();
      await once(child, 'close');
    }
  }, 180_000);

  it('finds no problem in a client of this library', async () => {
    const { code, report } = await conformance('--client', `${process.execPath} ${fixture('client')}`);
    expect({ code, problem: report.counts.problem }).toEqual({ code: 0, problem: 0 });
    expect(report.scenarios).toContain('tools_call');
  }, 180_000);

  it('finds no problem in how tenon skills verifies files [cli.skills]', async () => {
    await buildCommand();
    const { command, args } = commandLine(project.folder, 'skills');
    const skills = [command, ...args].join(' ');
    const scenarios = ['digest', 'size', 'frontmatter'].map(each => `sep-2640-client-verify-${each}`).join(',');
    const reading = await conformance('--client', `${skills} read`, '--scenario', scenarios);
    const listing = await conformance('--client', `${skills} list`, '--scenario', 'sep-2640-client-no-prefetch');
    expect([reading.report.counts, listing.report.counts]).toMatchObject([
      { problem: 0, warning: 0 },
      { problem: 0, warning: 0 },
    ]);
    expect(reading.report.counts.ok).toBeGreaterThanOrEqual(3);
    expect(listing.report.counts.ok).toBeGreaterThanOrEqual(1);
  }, 120_000);
});
