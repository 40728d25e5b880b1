/** Tests that the console makes from calls, run by Vitest in an empty project that has the packed packages. */
import { execFile } from 'node:child_process';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestExport } from '@tenon/console/api';
import { createServer, protocolVersions, tool } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestConsole } from '../../packages/cli/src/console/fixtures/console-page.js';
import { installPackedPackage } from '../../scripts/pack.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

const text = (name: string) => ({ type: 'object' as const, properties: { [name]: { type: 'string' as const } } });
const server = createServer({
  name: 'shelf',
  version: '1.0.0',
  tools: {
    greet: tool({
      input: text('topic'),
      async run({ topic }, ctx) {
        const { content } = await ctx.elicit({
          message: "Who's there?",
          input: { ...text('name'), required: ['name'] },
        });
        return `Hello ${String(content?.name)}, about ${String(topic)}.`;
      },
    }),
    count: tool({
      input: text('shelf'),
      output: { type: 'object', properties: { notes: { type: 'integer' } }, required: ['notes'] },
      run: () => ({ notes: 3 }),
    }),
    broken: tool({ input: { type: 'object' }, run: (_, ctx) => ctx.fail('It is broken.') }),
  },
});

/** Calls the tools in the console, and returns a test of all calls. */
async function makeTest(protocolVersion: string): Promise<TestExport> {
  const page = await openTestConsole({
    targets: [{ name: 'shelf', target: { resolved: { target: server, label: 'shelf' } } }],
    connection: { protocolVersion },
  });
  try {
    await page.waitFor('server', event => event.server.counts !== null);
    const calls: number[] = [];
    for (const [name, args] of [
      ['greet', { topic: "Ann's `$notes`" }],
      ['count', { shelf: 'a' }],
      ['broken', {}],
      ['missing', {}],
    ] as const) {
      if (name === 'greet' && protocolVersion < '2025-06-18') continue;
      const { id } = await page.call('POST', 'calls', {
        server: 'shelf',
        method: 'tools/call',
        params: { name, arguments: args },
      });
      if (name === 'greet') {
        const { request } = await page.waitFor('input-request', each => each.request.call === id);
        await page.call('POST', `input-requests/${request.id}`, { action: 'accept', content: { name: 'Ann' } });
      }
      await page.waitFor('call', ({ call }) => call.id === id && call.took !== null);
      calls.push(id);
    }
    return (await (await page.send('POST', 'tests', { calls })).json()) as TestExport;
  } finally {
    await page.close();
  }
}

describe('a test that the console makes', () => {
  let project: Awaited<ReturnType<typeof installPackedPackage>>;

  beforeAll(async () => {
    project = await installPackedPackage('testing');
    await symlink(join(root, 'node_modules/vitest'), join(project.folder, 'node_modules/vitest'));
  });
  afterAll(() => project?.remove());

  async function runTests(): Promise<string> {
    const words = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', project.folder];
    const ended = await run(process.execPath, words, {
      cwd: project.folder,
      env: { PATH: process.env.PATH ?? '' },
    }).catch((error: { readonly stdout: string; readonly stderr: string }) => error);
    return `${ended.stdout}${ended.stderr}`.replace(/\u001b\[\d+m/g, '');
  }

  it('passes without the server on each version, and fails if the recorded result is changed [con.record]', async () => {
    for (const version of protocolVersions) {
      const { name, text } = await makeTest(version);
      await writeFile(join(project.folder, `${version}-${name}`), text);
    }
    const passed = await runTests();
    expect(passed).toMatch(/Tests\s+18 passed \(18\)/);
    for (const file of (await readdir(project.folder)).filter(each => each.endsWith('.test.ts'))) {
      const path = join(project.folder, file);
      const written = await readFile(path, 'utf8');
      const at = written.lastIndexOf('It is broken.');
      await writeFile(path, `${written.slice(0, at)}It is repaired.${written.slice(at + 'It is broken.'.length)}`);
    }
    const failed = await runTests();
    expect(failed).toMatch(/Tests\s+5 failed \| 13 passed \(18\)/);
  });
});
