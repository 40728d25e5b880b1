import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import ts from 'typescript-5';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../docs/pages.js';
import { runTenon } from './command.js';

const SERVER = `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';

export const server = new McpServer({ name: 'a', version: '1' });
server.server.oninitialized = start;
`;

let folder: string;
const path = (name: string) => join(folder, name);
async function write(name: string, text: string): Promise<void> {
  await mkdir(dirname(path(name)), { recursive: true });
  await writeFile(path(name), text);
}
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    cwd: folder,
    stdio: 'ignore',
  });

/** Compiles a file with the options and the sources of this project, and returns the errors in it. */
function listTypeErrors(file: string): string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), each => ts.sys.readFile(each));
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
  const program = ts.createProgram([file], options);
  const source = program.getSourceFile(file);
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(each =>
    ts.flattenDiagnosticMessageText(each.messageText, '\n'),
  );
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-migrate-'));
  await mkdir(path('node_modules'));
  await symlink(join(root, 'node_modules/typescript-5'), path('node_modules/typescript'), 'junction');
  await write('.gitignore', 'node_modules\n');
  await write(
    'package.json',
    JSON.stringify({ dependencies: { '@modelcontextprotocol/sdk': '1.32.2', zod: '^3.25.0' } }, null, 2),
  );
  await write('src/index.ts', SERVER);
});
afterEach(() => rm(folder, { recursive: true, maxRetries: 10 }));

describe('tenon migrate', () => {
  it('changes committed files, and lists what it cannot change [cli.migrate]', async () => {
    git('init');
    git('add', '.');
    git('commit', '-m', 'all');
    const { code, out, err } = await runTenon(folder, ['migrate']);
    expect([code, out]).toEqual([
      0,
      'changed src/index.ts\nchanged package.json\nnot changed src/index.ts:4: `server.server.oninitialized`: see the table of equivalents\n',
    ]);
    expect(err).toContain('2 files changed, 1 place not changed');
    expect(await readFile(path('src/index.ts'), 'utf8')).toContain("import { createServer } from 'tenon';");
    expect(JSON.parse(await readFile(path('package.json'), 'utf8')).dependencies).toEqual({
      zod: '^4.1.0',
      tenon: expect.stringMatching(/^\^\d/),
    });
  });

  it('refuses files that are not committed, but not with --force', async () => {
    const bare = await runTenon(folder, ['migrate']);
    expect([bare.code, bare.err]).toEqual([2, expect.stringContaining('not in a git repository')]);
    git('init');
    const dirty = await runTenon(folder, ['migrate']);
    expect([dirty.code, dirty.err]).toEqual([2, expect.stringContaining('uncommitted changes')]);
    expect(await readFile(path('src/index.ts'), 'utf8')).toBe(SERVER);
    expect((await runTenon(folder, ['migrate', '--force'])).code).toBe(0);
    expect(await readFile(path('src/index.ts'), 'utf8')).not.toBe(SERVER);
  });

  it('prints a diff with --dry-run, and writes nothing', async () => {
    const { code, out } = await runTenon(folder, ['migrate', '--dry-run']);
    expect(code).toBe(0);
    expect(out).toContain(
      "-import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\n+import { createServer } from 'tenon';",
    );
    expect(await readFile(path('src/index.ts'), 'utf8')).toBe(SERVER);
  });

  it('prints files and findings as JSON', async () => {
    const { out } = await runTenon(folder, ['migrate', '--dry-run', '--json']);
    expect(JSON.parse(out)).toMatchObject({
      changed: ['src/index.ts', 'package.json'],
      written: false,
      diff: expect.stringContaining('createServer'),
      findings: [{ file: 'src/index.ts', line: 4, kind: 'left' }],
    });
  });

  it('changes no file outside the folder, to which a link leads', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'tenon-outside-'));
    await writeFile(join(outside, 'index.ts'), SERVER);
    await symlink(outside, path('linked'), 'junction');
    await symlink(join(outside, 'index.ts'), path('src/linked.ts'));
    const { out } = await runTenon(folder, ['migrate', '--force']);
    expect(out).not.toContain('linked');
    expect(await readFile(join(outside, 'index.ts'), 'utf8')).toBe(SERVER);
    await rm(outside, { recursive: true, maxRetries: 10 });
  });

  it('leaves compiled code alone if there are sources', async () => {
    await write('dist/index.js', SERVER);
    const { out } = await runTenon(folder, ['migrate', '--force']);
    expect(out).toContain('not changed dist:1: compiled code: compile the migrated sources again');
    expect(await readFile(path('dist/index.js'), 'utf8')).toBe(SERVER);
  });

  it('leaves a file alone that is not UTF-8, and names it', async () => {
    const before = Buffer.from(`${SERVER}// caf\xe9\n`, 'latin1');
    await writeFile(path('src/index.ts'), before);
    const { code, out } = await runTenon(folder, ['migrate', '--force']);
    expect([code, out]).toEqual([
      0,
      'not changed src/index.ts:1: a file that is not UTF-8: save it as UTF-8, and run this again\n',
    ]);
    expect(await readFile(path('src/index.ts'))).toEqual(before);
  });

  it('reads package.json with a byte order mark, and refuses invalid JSON', async () => {
    await write('package.json', `\uFEFF${await readFile(path('package.json'), 'utf8')}`);
    expect((await runTenon(folder, ['migrate', '--force'])).out).toContain('changed package.json');
    await write('package.json', '{"name":');
    const { code, err } = await runTenon(folder, ['migrate', '--force']);
    expect([code, err]).toEqual([2, 'tenon: package.json: invalid JSON. Correct the file.\n']);
  });

  it('leaves a bundle that contains the SDK and package.json alone', async () => {
    await rm(path('src'), { recursive: true, maxRetries: 10 });
    const bundle = `${SERVER}class McpServer { constructor() { this._registeredTools = {}; } }\n`;
    await write('dist/index.js', bundle);
    const before = await readFile(path('package.json'), 'utf8');
    const { code, out } = await runTenon(folder, ['migrate', '--force']);
    expect([code, out]).toEqual([
      0,
      'not changed dist/index.js:1: a bundle with the SDK: bundle the migrated sources again\n',
    ]);
    expect(await readFile(path('dist/index.js'), 'utf8')).toBe(bundle);
    expect(await readFile(path('package.json'), 'utf8')).toBe(before);
  });

  it('changes compiled code if there is nothing else', async () => {
    await rm(path('src'), { recursive: true, maxRetries: 10 });
    await write('dist/index.js', SERVER);
    expect((await runTenon(folder, ['migrate', '--force'])).out).toContain('changed dist/index.js');
  });

  it('writes TypeScript that compiles for the handlers of a low-level server', async () => {
    await write(
      'src/index.mts',
      `import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema, type Tool } from '@modelcontextprotocol/sdk/types.js';

const TOOLS: Tool[] = [{ name: 'a', inputSchema: { type: 'object', properties: { a: { type: 'string' } } } }];
export const server = new Server({ name: 'a', version: '1' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: TOOLS }));
server.setRequestHandler(CallToolRequestSchema, async request => {
  if (request.params.name === 'b') return { content: [{ type: 'text', text: 'no' }], isError: true };
  return { tools: [], content: [{ type: 'text' as const, text: String(request.params.arguments?.a) }] };
});
`,
    );
    expect((await runTenon(folder, ['migrate', '--force'])).code).toBe(0);
    expect(listTypeErrors(path('src/index.mts'))).toEqual([]);
  });

  it('tells how to install a parser if the project has none', async () => {
    await rm(path('node_modules/typescript'));
    const { code, err } = await runTenon(folder, ['migrate', '--dry-run']);
    expect(code).toBe(1);
    expect(err).toContain('npx -p typescript@5 -p @tenon/cli tenon migrate');
  });

  it('refuses a folder without the SDK', async () => {
    await write('src/index.ts', 'export {};\n');
    const { code, err } = await runTenon(folder, ['migrate', '--dry-run']);
    expect([code, err]).toEqual([2, expect.stringContaining('no file of the project imports the official SDK')]);
  });
});
