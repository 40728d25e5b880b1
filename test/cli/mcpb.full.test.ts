// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests write variables so
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createBundleTarget } from '../../packages/cli/src/mcpb/create-bundle-command.js';
import { extractBundle } from '../../packages/cli/src/mcpb/extract-bundle.js';
import { buildCommand, commandLine, runTenon } from './command.js';
import { createManifest, createZip, writeBundle, type ZipEntry } from './fixtures/write-bundle.js';

let folder: string;
beforeAll(buildCommand);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-mcpb-'));
});
afterEach(() => rm(folder, { recursive: true, maxRetries: 10 }));

const path = (name: string) => join(folder, name);

describe('a bundle as a target', () => {
  it('is unpacked by its hash, and started only after approval', async () => {
    await writeBundle(path('boxed.mcpb'));
    const refused = await runTenon(folder, ['list', './boxed.mcpb']);
    expect(refused).toMatchObject({ code: 6, out: '' });
    expect(refused.err).toMatch(/boxed 1\.0\.0, unsigned, SHA-256 [0-9a-f]{64}/);
    const { out, code } = await runTenon(folder, ['list', 'boxed.mcpb', '--trust', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ server: { name: 'boxed' }, tools: [{ name: 'show' }] });
    const cached = await readdir(path('home/state/bundles'));
    expect(cached).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), expect.stringMatching(/^[0-9a-f]{64}\.data$/)]);
  });

  it('is restored before each start if its files have changed', async () => {
    await writeBundle(path('b.mcpb'), createManifest(), [{ name: 'run.sh', content: 'x', mode: 0o100755 }]);
    const call = () => runTenon(folder, ['call', 'b.mcpb', 'show', '--trust', '--json']);
    const { out } = await call();
    const data = JSON.parse(JSON.parse(out).content[0].text).cwd;
    const unpacked = data.replace(/\.data$/, '');
    const program = join(unpacked, 'server/index.mjs');
    expect((await stat(program)).mode & 0o777).toBe(0o400);
    expect((await stat(join(unpacked, 'run.sh'))).mode & 0o777).toBe(0o500);
    await rm(program);
    await writeFile(program, 'process.exit(3)');
    await mkdir(join(unpacked, 'server/node_modules/x'), { recursive: true });
    await writeFile(join(unpacked, 'server/node_modules/x/index.js'), '');
    await rm(join(unpacked, 'manifest.json'));
    await symlink('/etc/hosts', join(unpacked, 'manifest.json'));
    await writeFile(join(data, 'state.json'), '{}');
    const { code, err } = await call();
    expect(code).toBe(0);
    expect(err).toContain('2 unpacked files had changed, and were restored: manifest.json, server/index.mjs');
    expect(err).toContain(`were moved to ${unpacked}.removed: server/node_modules`);
    expect((await readdir(join(unpacked, 'server'))).sort()).toEqual(['index.mjs']);
    expect(await readdir(data)).toEqual(['state.json']);
    expect((await call()).err).not.toContain('restored');
  });

  it('is restored if a folder became a link to another one', async () => {
    await writeBundle(path('b.mcpb'));
    const { folder: unpacked } = await extractBundle(path('b.mcpb'), path('cache'));
    await rm(join(unpacked, 'server'), { recursive: true, maxRetries: 10 });
    await mkdir(path('elsewhere'));
    await symlink(path('elsewhere'), join(unpacked, 'server'));
    const { restored } = await extractBundle(path('b.mcpb'), path('cache'));
    expect(restored).toEqual({ changed: ['server/index.mjs'], added: [] });
    expect(await readdir(path('elsewhere'))).toEqual([]);
  });

  it('installs the packages of uv into the folder for its data', async () => {
    const { server } = createManifest();
    const manifest = createManifest({
      server: { type: 'uv', entry_point: server.entry_point },
      manifest_version: '0.4',
    });
    await writeBundle(path('b.mcpb'), manifest);
    const bundle = await extractBundle(path('b.mcpb'), path('cache'));
    const { target } = createBundleTarget(bundle);
    expect(target.env).toEqual({ UV_PROJECT_ENVIRONMENT: join(bundle.dataFolder, '.venv') });
  });

  it('runs in its own folder if its command has a path there', async () => {
    await writeBundle(path('b.mcpb'), createManifest({}, { args: ['server/index.mjs'] }));
    const { out } = await runTenon(folder, ['call', 'b.mcpb', 'show', '--trust', '--json']);
    expect(JSON.parse(JSON.parse(out).content[0].text).cwd).toMatch(/bundles\/[0-9a-f]{64}$/);
  });

  it('gets the values of the user by their types, and secrets from variables only', async () => {
    const field = (type: string, more: object = {}) => ({ type, title: type, description: '', ...more });
    const manifest = createManifest(
      {
        user_config: {
          folders: field('directory', { multiple: true, required: true }),
          port: field('number', { min: 1, max: 10, default: 3 }),
          key: field('string', { sensitive: true, required: true }),
          unset: field('string'),
        },
      },
      {
        args: ['${__dirname}/server/index.mjs', '${user_config.folders}', '--port=${user_config.port}', 'a${/}b'],
        env: { KEY: '${user_config.key}', UNSET: '${user_config.unset}', DOCS: '${DOCUMENTS}' },
      },
    );
    await writeBundle(path('b.mcpb'), manifest);
    const call = (args: string[]) =>
      runTenon(folder, ['call', 'b.mcpb', 'show', '--trust', '--json', ...args], { SECRET: 'hush-1234' });
    const given = ['--user-config', 'folders=x,y', '--user-config-env', 'key=SECRET'];
    const { out, err } = await call(given);
    const shown = JSON.parse(JSON.parse(out).content[0].text);
    expect(shown.args).toEqual([path('x'), path('y'), '--port=3', 'a/b']);
    expect(shown.env).toMatchObject({ KEY: 'hush-1234', DOCS: expect.stringMatching(/Documents$/) });
    expect(shown.env).not.toHaveProperty('UNSET');
    expect(err).not.toContain('hush');
    const files = await readdir(path('home'), { recursive: true, withFileTypes: true });
    for (const file of files.filter(each => each.isFile()))
      expect(await readFile(join(file.parentPath, file.name), 'latin1')).not.toContain('hush-1234');

    expect(await call(['--user-config', 'folders=x', '--user-config', 'key=hush'])).toMatchObject({ code: 2 });
    expect(await call(['--user-config', 'folders=x'])).toMatchObject({ code: 2 });
    for (const port of ['11', '0x3'])
      expect((await call([...given, '--user-config', `port=${port}`])).err).toContain('a number from 1 to 10');
    expect((await call([...given, '--user-config', 'prot=1'])).err).toMatch(/did you mean .*port/i);
  });

  it('uses the command of this platform', async () => {
    const override = { args: ['${__dirname}/server/index.mjs', 'here'] };
    const manifest = createManifest({}, { platform_overrides: { [process.platform]: override, other: { args: [] } } });
    await writeBundle(path('b.mcpb'), manifest);
    const { out } = await runTenon(folder, ['call', 'b.mcpb', 'show', '--trust', '--json']);
    expect(JSON.parse(JSON.parse(out).content[0].text).args).toEqual(['here']);
    await writeBundle(path('c.mcpb'), createManifest({ compatibility: { platforms: ['beos'] } }));
    expect((await runTenon(folder, ['list', 'c.mcpb', '--trust'])).err).toContain('does not support this platform');
  });

  it('starts although its manifest has unknown members, which are named', async () => {
    const manifest = {
      ...createManifest(),
      sampling: { model: 'x' },
      server: { ...createManifest().server, sandbox: true },
    };
    await writeBundle(path('b.mcpb'), manifest);
    const { code, err } = await runTenon(folder, ['list', 'b.mcpb', '--trust']);
    expect([code, err]).toEqual([
      0,
      expect.stringContaining('variables that have no effect here: sampling, server.sandbox'),
    ]);
  });

  it('names variables without a field in user_config', async () => {
    const manifest = createManifest({}, { env: { A: 'x${user_config.tokn}', B: '${user_config.tokn}${HOME}' } });
    await writeBundle(path('b.mcpb'), manifest);
    const { code, err } = await runTenon(folder, ['list', 'b.mcpb', '--trust']);
    expect([code, err]).toEqual([0, expect.stringContaining('that have no effect here: ${user_config.tokn}\n')]);
  });

  it('is refused with an invalid manifest or without one', async () => {
    await writeBundle(path('b.mcpb'), { ...createManifest(), manifest_version: '9', author: {} });
    const { code, err } = await runTenon(folder, ['list', 'b.mcpb', '--trust']);
    expect(code).toBe(1);
    expect(err).toMatch(/invalid manifest\.json: .*manifest_version/);
    await writeFile(path('c.mcpb'), createZip([{ name: 'a', content: 'a' }]));
    expect((await runTenon(folder, ['list', 'c.mcpb', '--trust'])).err).toContain('there is no manifest.json');
    await writeFile(path('d.mcpb'), 'no archive');
    expect((await runTenon(folder, ['list', 'd.mcpb', '--trust'])).err).toContain('invalid archive');
    const { manifest_version: _, ...unversioned } = createManifest();
    await writeBundle(path('e.mcpb'), unversioned);
    const { err: missing } = await runTenon(folder, ['list', 'e.mcpb', '--trust']);
    expect(missing).toContain('invalid manifest.json: manifest_version: is required');
  });

  it('is refused with its path if it is a folder or missing', async () => {
    await mkdir(path('folder.mcpb'));
    const { code, err } = await runTenon(folder, ['list', './folder.mcpb', '--trust']);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('./folder.mcpb: this is a folder') });
    const mcpServers = { one: { command: './folder.mcpb' }, two: { command: './missing.mcpb' } };
    await writeFile(path('mcp.json'), JSON.stringify({ mcpServers }));
    const list = async (name: string) => (await runTenon(folder, ['list', name, '--trust'])).err;
    expect(await list('one')).toMatch(
      /folder\.mcpb cannot be read: it is not a file\. Check the path and its permissions/,
    );
    expect(await list('two')).toMatch(/missing\.mcpb cannot be read: ENOENT\. Check the path and its permissions/);
  });

  it('shows each danger of its command once', async () => {
    await writeBundle(path('b.mcpb'), createManifest({}, { command: '/bin/sh', args: ['-c', 'exit 0'] }));
    const { err } = await runTenon(folder, ['list', 'b.mcpb', '--trust']);
    expect(err.match(/it is a shell script/g)).toHaveLength(1);
  });
});

describe('a bundle at a gateway', () => {
  const field = (more: object = {}) => ({ type: 'string', title: 'Key', description: '', ...more });
  const manifest = createManifest(
    { user_config: { key: field({ sensitive: true, required: true }), root: field({ type: 'directory' }) } },
    { args: ['${__dirname}/server/index.mjs', '${user_config.root}'], env: { KEY: '${user_config.key}' } },
  );
  const write = (servers: object) => writeFile(path('mcp.json'), JSON.stringify({ mcpServers: servers }));
  const notes = { command: './boxed.mcpb', args: ['--more'], env: { key: '${SECRET}', root: 'docs', OTHER: 'x' } };
  const callBehind = async (tool: string, gateway: readonly string[], env: Record<string, string> = {}) => {
    const { args } = commandLine(folder, 'gateway', '--stdio', '--trust', ...gateway);
    const words = [
      'call',
      tool,
      '--json',
      '--pass',
      'TENON_HOME',
      ...Object.keys(env).flatMap(name => ['--pass', name]),
    ];
    const { out, err, code } = await runTenon(folder, [...words, '--', process.execPath, ...args], env);
    return { code, err, shown: code === 0 ? JSON.parse(JSON.parse(out).content[0].text) : undefined };
  };

  it('gets its values from the configuration, and other variables and arguments', async () => {
    await writeBundle(path('boxed.mcpb'), manifest);
    await write({ notes, bare: { command: './boxed.mcpb' } });
    const { shown } = await callBehind('notes__show', ['mcp.json'], { SECRET: 'hush-1234' });
    expect(shown.args).toEqual([path('docs'), '--more']);
    expect(shown.env).toMatchObject({ KEY: 'hush-1234', OTHER: 'x' });
    expect(shown.env).not.toHaveProperty('key');
    expect(shown.cwd).toMatch(/state\/bundles\/[0-9a-f]{64}\.data$/);
  });

  it('is omitted alone if it lacks a value', async () => {
    await writeBundle(path('boxed.mcpb'), manifest);
    await write({ notes, bare: { command: './boxed.mcpb' } });
    const { code, err } = await runTenon(folder, ['lock', '--trust', '--yes'], { SECRET: 'hush-1234' });
    expect({ code, err }).toMatchObject({ code: 4, err: expect.stringContaining('mcp.lock has 1 server') });
    expect(err).toContain('error: the bundle needs a value for "key"');
    expect(err).toContain('"env": { "key": "…" }');
    expect(err).not.toContain('hush');
  });

  it('may be the only server, passed as a target', async () => {
    await writeBundle(path('small one.mcpb'));
    expect((await callBehind('show', ['small one.mcpb', '--prefix', 'auto'])).shown.args).toEqual([]);
    const { code, err } = await runTenon(folder, ['gateway', 'small one.mcpb', '--port', '0']);
    expect({ code, err }).toMatchObject({ code: 6, err: expect.stringContaining('was not approved yet') });
  });

  it('is locked by its hash, equal on every machine', async () => {
    await writeBundle(path('boxed.mcpb'), manifest);
    await write({ notes });
    const lock = (args: readonly string[], home = 'home') =>
      runTenon(folder, ['lock', '--trust', ...args], { SECRET: 'hush-1234', TENON_HOME: path(home) });
    expect(await lock(['--yes'])).toMatchObject({ code: 0 });
    const text = await readFile(path('mcp.lock'), 'utf8');
    expect(text).toMatch(/"<folder>\/[0-9a-f]{64}\/server\/index\.mjs"/);
    expect(text).not.toContain('hush');
    expect(await lock(['--check'], 'home of another user')).toMatchObject({ code: 0 });
    await writeBundle(path('boxed.mcpb'), manifest, [{ name: 'new.txt', content: 'new' }]);
    expect(await lock(['--check'])).toMatchObject({ code: 7 });
  });

  it('works as a configured server for other commands', async () => {
    await writeBundle(path('boxed.mcpb'), manifest);
    await write({ notes, off: { ...notes, disabled: true }, unset: { command: 'x', env: { A: '${UNSET_A}' } } });
    const run = (...args: string[]) => runTenon(folder, [...args, '--trust', '--json'], { SECRET: 'hush-1234' });
    const { out } = await run('call', 'notes', 'show');
    expect(JSON.parse(JSON.parse(out).content[0].text).env).toMatchObject({ KEY: 'hush-1234' });
    expect((await run('list', 'off')).err).toMatch(/server \\"off\\" is disabled/);
    expect((await run('list', 'unset')).err).toMatch(/UNSET_A[\s\S]*entry of server \\"unset\\" in .* is invalid/);
    expect((await runTenon(folder, ['list', 'notes'], { SECRET: 'x' })).code).toBe(6);
  });
});

describe('a hostile archive', () => {
  const limits = { maxEntries: 10, maxBytes: 2 ** 22, maxRatio: 200 };
  const attacks: readonly (readonly [string, readonly ZipEntry[]])[] = [
    ['a name that leaves the folder', [{ name: '../out', content: 'x' }]],
    ['an absolute name', [{ name: '/tmp/out', content: 'x' }]],
    ['a drive of Windows', [{ name: 'C:/out', content: 'x' }]],
    ['a backslash', [{ name: '..\\out', content: 'x' }]],
    ['a symbolic link', [{ name: 'link', content: '/etc/passwd', mode: 0o120777 }]],
    ['two files of one name', [{ name: 'a' }, { name: 'a' }]],
    ['two names that differ in case', [{ name: 'a' }, { name: 'A' }]],
    ['a device of Windows', [{ name: 'x/NUL.txt' }]],
    ['too many entries', Array.from({ length: 11 }, (_, index) => ({ name: `${index}` }))],
    ['a bomb', [{ name: 'a', content: Buffer.alloc(2 ** 21) }]],
    ['too many bytes', [{ name: 'a', content: 'x', size: 2 ** 23 }]],
    ['a wrong size', [{ name: 'a', content: 'x'.repeat(5000), size: 10 }]],
  ];
  it.each(attacks)('is refused: %s', async (_, entries) => {
    const manifest = { name: 'manifest.json', content: JSON.stringify(createManifest()) };
    await writeFile(path('b.mcpb'), createZip(entries.length > 10 ? entries : [manifest, ...entries]));
    const unpacking = extractBundle(path('b.mcpb'), path('cache'), limits);
    await expect(unpacking).rejects.toMatchObject({ code: 'mcpb/archive' });
    expect(await readdir(path('cache'))).toEqual([]);
    expect(await readdir(folder)).toEqual(['b.mcpb', 'cache']);
  });
});
