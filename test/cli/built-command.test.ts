import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { projectWith } from './command.js';

/** The command as it is published: `npm run build` writes it. */
const dist = fileURLToPath(new URL('../../packages/cli/dist', import.meta.url));
const server = fileURLToPath(new URL('./fixtures/integer-server.mjs', import.meta.url));

describe('the built command', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  beforeAll(async () => {
    project = await projectWith({ integers: { command: process.execPath, args: [server] } });
  });
  afterAll(() => project.remove());

  it('contains no module of another package of Tenon, whose state would exist twice', async () => {
    const files = (await readdir(dist, { recursive: true })).filter(file => file.endsWith('.mjs'));
    const texts = await Promise.all(files.map(file => readFile(join(dist, file), 'utf8')));
    const modules = texts.flatMap(text => text.match(/^\/\/ packages\/.*$/gm) ?? []);
    expect(modules.length).toBeGreaterThan(100);
    expect(modules.filter(module => !module.startsWith('// packages/cli/'))).toEqual([]);
  });

  it.each([[['call', 'integers', 'echo', '--json']], [['call', 'integers', 'echo']]])(
    'prints an integer beyond the precision of a number as the server sent it: %j',
    async args => {
      const output = await run([...args, '--trust', '--no-input']);
      expect(output).toContain('1716239022123456789');
      expect(output).toContain('-9007199254740993');
      expect(output).not.toContain('9007199254740992');
    },
  );

  it('records an integer beyond the precision of a number as the server sent it', async () => {
    await run(['call', 'integers', 'echo', '--wire', 'wire.jsonl', '--trust', '--no-input']);
    const recorded = await readFile(project.path('wire.jsonl'), 'utf8');
    expect(recorded).toContain('1716239022123456789');
    expect(recorded).toContain('-9007199254740993');
  });

  it.skipIf(!existsSync('/dev/full')).each([[['schema', 'call']], [['--version']], [['list', '--help']]])(
    'fails if its output cannot be written: %j',
    async args => {
      const full = await open('/dev/full', 'w');
      const child = spawn(process.execPath, [join(dist, 'tenon.mjs'), ...args], { stdio: ['ignore', full.fd, 'pipe'] });
      const errors: string[] = [];
      child.stderr?.setEncoding('utf8').on('data', text => errors.push(text));
      const [code] = await once(child, 'close');
      await full.close();
      expect([code, errors.join('')]).toEqual([1, 'tenon: the output cannot be written: ENOSPC\n']);
    },
  );

  it.skipIf(process.platform === 'win32')('warns of a token file that others can read in its own words', async () => {
    await mkdir(project.path('home'), { recursive: true });
    await writeFile(project.path('home/tokens.json'), '{}', { mode: 0o644 });
    await chmod(project.path('home/tokens.json'), 0o644);
    const output = await run(['logout', 'https://example.com/mcp'], { code: 3, TENON_TOKEN_STORE: 'file' });
    expect(output).toMatch(/^warning: other users could read the tokens in .* If another user may have read it/m);
    expect(output).not.toContain('(node:');
  });

  async function run(
    args: readonly string[],
    { code: expected = 0, ...env }: { code?: number; TENON_TOKEN_STORE?: string } = {},
  ): Promise<string> {
    const child = spawn(process.execPath, [join(dist, 'tenon.mjs'), ...args], {
      cwd: project.folder,
      env: { PATH: process.env.PATH ?? '', TENON_HOME: project.path('home'), NODE_DISABLE_COMPILE_CACHE: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', text => (output += text));
    const [code] = await once(child, 'close');
    expect(code, output).toBe(expected);
    return output;
  }
});
