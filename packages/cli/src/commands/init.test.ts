import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import rootJson from '../../../../package.json' with { type: 'json' };
import { exitCodes } from '../exit-codes.js';
import { createScriptedTerminal } from '../fixtures/scripted-terminal.js';
import { detectPackageManager, formatProgram, formatScript } from '../init/package-manager.js';
import { createProjectFiles, VERSIONS } from '../init/project-files.js';
import { run } from '../program.js';
import { createScreen } from '../screen.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-init-'));
});
afterEach(() => rmSync(folder, { recursive: true, maxRetries: 10 }));

/** Runs the command without a terminal, or with the answers of a user. */
async function init(args: readonly string[], answers?: string[], env: Record<string, string> = {}) {
  const texts = { out: '', err: '' };
  const { terminal, requests } = createScriptedTerminal(
    () => answers?.shift(),
    () => answers !== undefined,
  );
  const code = await run(['init', ...args], {
    screen: createScreen({ write: text => (texts.out += text) }, { write: text => (texts.err += text) }),
    terminal,
    env,
    cwd: folder,
    code: exitCodes.success,
  });
  return { code, ...texts, requests };
}

const read = (name: string) => readFileSync(join(folder, name), 'utf8');

describe('tenon init', () => {
  it('refuses a folder that cannot be created, and says why', async () => {
    writeFileSync(join(folder, 'file'), '');
    const places = [join('file', 'notes'), 'file', ...(process.platform === 'linux' ? ['/proc/notes'] : [])];
    for (const place of places) {
      const { code, err } = await init([place, '--no-install']);
      expect([place, code]).toEqual([place, exitCodes.failure]);
      expect(err).toMatch(/cannot write the project to .*Got E(?:NOTDIR|EXIST|NOENT).*[Cc]hoose another folder/s);
    }
  });

  it('writes a project into a new folder, and says what to run next', async () => {
    const { code, out, requests } = await init(['My Notes', '--no-install', '--json']);
    expect([code, requests]).toEqual([0, []]);
    const files = ['package.json', 'tsconfig.json', 'server.ts', 'server.test.ts', 'README.md', '.gitignore'];
    expect(JSON.parse(out)).toEqual({
      folder: join(folder, 'My Notes'),
      name: 'my-notes',
      transport: 'http',
      packageManager: 'npm',
      files,
      installed: false,
      next: ["cd 'My Notes'", 'npm install', 'npm test', 'npm run dev'],
    });
    expect(readdirSync(join(folder, 'My Notes')).sort()).toEqual([...files].sort());
    expect(JSON.parse(read('My Notes/package.json'))).toMatchObject({
      name: 'my-notes',
      scripts: { dev: 'tenon dev server.ts', start: 'tenon serve server.ts' },
    });
    expect(read('My Notes/server.ts')).toContain("name: 'my-notes'");
    expect(read('My Notes/README.md')).toContain('claude mcp add --transport http my-notes http://127.0.0.1:3000/mcp');
  });

  it('takes the name, the transport and the package manager of its options', async () => {
    const args = ['.', '--name', '@example/notes', '--transport', 'stdio', '--package-manager', 'pnpm', '--no-install'];
    const { code, out } = await init(args);
    expect(code).toBe(0);
    expect(out).toContain('  pnpm install\n  pnpm test\n  pnpm dev\n');
    expect(JSON.parse(read('package.json'))).toMatchObject({
      name: '@example/notes',
      scripts: { start: 'tenon serve --stdio server.ts' },
    });
    expect(read('README.md')).toMatch(/claude mcp add notes -- node \S+tenon\.mjs serve --stdio \S+server\.ts/);
    expect(read('README.md')).toContain('pnpm exec tenon call');
  });

  it('asks in a terminal for the folder and the transport, unless --no-input is set', async () => {
    const { code, requests } = await init(['--no-install'], ['asked', 'Start the server (stdio)']);
    expect([code, requests.length]).toEqual([0, 2]);
    expect(JSON.parse(read('asked/package.json')).scripts.start).toContain('--stdio');
    const silent = await init(['--no-install', '--no-input'], []);
    expect([silent.code, silent.requests]).toEqual([0, []]);
    expect(JSON.parse(read('mcp-server/package.json')).name).toBe('mcp-server');
  });

  it('refuses a folder that contains a file, and accepts one with a Git repository', async () => {
    mkdirSync(join(folder, '.git'));
    expect((await init(['.', '--no-install'])).code).toBe(0);
    writeFileSync(join(folder, 'server.ts'), 'mine');
    const { code, err } = await init(['.', '--no-install', '--json']);
    expect(code).toBe(exitCodes.failure);
    expect(JSON.parse(err)).toMatchObject({ code: 'init/not-empty', fix: 'choose another folder: tenon init FOLDER' });
    expect(read('server.ts')).toBe('mine');
  });

  it('refuses a name that npm would refuse', async () => {
    for (const name of ['Notes', 'a b', '.notes', 'a/b', `a${'b'.repeat(214)}`]) {
      const { code, err } = await init(['x', '--name', name, '--no-install']);
      expect([code, err]).toEqual([exitCodes.usage, expect.stringContaining('invalid name of a package')]);
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it('reports a package manager that cannot be started, and leaves the project', async () => {
    const { code, err } = await init(['x', '--package-manager', 'bun', '--json'], undefined, { PATH: folder });
    expect(code).toBe(exitCodes.failure);
    const lines = err.trim().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ code: 'init/install' });
    expect(readdirSync(join(folder, 'x'))).toContain('server.ts');
  });
});

describe('the project of tenon init', () => {
  it('uses the versions of this repository', () => {
    const { zod, typescript, tsx } = VERSIONS;
    expect(rootJson.devDependencies).toMatchObject({ zod, typescript, tsx });
  });

  it('uses tsx where Node does not run TypeScript', () => {
    const options = { name: 'x', transport: 'http', packageManager: 'npm' } as const;
    const readPackage = (withTsx: boolean) =>
      JSON.parse(createProjectFiles({ ...options, withTsx })['package.json'] ?? '');
    expect(readPackage(true)).toMatchObject({
      scripts: { test: 'node --import tsx --test server.test.ts' },
      devDependencies: { tsx: `^${VERSIONS.tsx}` },
    });
    expect(readPackage(false)).toMatchObject({
      scripts: { test: 'node --test server.test.ts' },
      engines: { node: '>=22.18' },
    });
    expect(readPackage(false).devDependencies).not.toHaveProperty('tsx');
  });

  it('uses the package manager that runs the command', () => {
    expect(detectPackageManager({ npm_config_user_agent: 'pnpm/10.1.0 npm/? node/v22.18.0 linux x64' })).toBe('pnpm');
    expect(detectPackageManager({ npm_config_user_agent: 'deno/2.5.0' })).toBe('npm');
    expect(detectPackageManager({})).toBe('npm');
    expect(['start', 'dev'].map(script => formatScript('npm', script))).toEqual(['npm start', 'npm run dev']);
    expect([formatScript('bun', 'test'), formatProgram('bun', 'tenon list')]).toEqual([
      'bun run test',
      'bunx tenon list',
    ]);
  });
});
