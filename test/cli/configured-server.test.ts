import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCommand, projectWith, runTenon, shopEntry } from './command.js';
import { serveKitchen } from './fixtures/kitchen.js';

describe('a server in the configuration files of MCP hosts', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  let kitchen: Awaited<ReturnType<typeof serveKitchen>>;
  beforeAll(async () => {
    await buildCommand();
    kitchen = await serveKitchen();
    project = await projectWith({ local: { url: kitchen.url } });
    const other = {
      url: 'https://example.com/mcp',
      headers: { 'x-key': '$' + '{input:key}', 'x-team': '$' + '{UNSET}' },
    };
    await write('.claude.json', '{ broken');
    await write('.cursor/mcp.json', {
      mcpServers: { notes: { url: kitchen.url }, moved: { url: kitchen.url }, other },
    });
    const inputs = [{ id: 'key', type: 'promptString' }];
    const moved = { url: 'https://example.com/mcp' };
    await write('.codeium/windsurf/mcp_config.json', {
      mcpServers: { notes: { url: kitchen.url }, moved, other },
      inputs,
    });
  });
  afterAll(() => Promise.all([project.remove(), kitchen.close()]));
  const write = async (name: string, content: unknown) => {
    await mkdir(dirname(project.path(name)), { recursive: true });
    await writeFile(project.path(name), typeof content === 'string' ? content : JSON.stringify(content));
  };
  const list = (name: string) => {
    const { folder } = project;
    return runTenon(folder, ['list', name], { HOME: folder, USERPROFILE: folder, XDG_CONFIG_HOME: '', APPDATA: '' });
  };

  it('is found without reporting problems of other servers and files [cli.target]', async () => {
    expect(await list('notes')).toMatchObject({ code: 0, err: '', out: expect.stringContaining('echo') });
  });

  it('is not a file that is no server, which is named as such', async () => {
    await write('tools.json', { mcpServers: {} });
    const { code, err } = await list('tools.json');
    expect(code).toBe(2);
    expect(err).toContain(
      '"tools.json" is not a server file, a bundle or a recording. Pass a configuration by --config',
    );
  });

  it('comes from the first file, which is named if another file differs [cli.target]', async () => {
    const { code, err } = await list('moved');
    const [used, ignored] = ['.cursor/mcp.json', '.codeium/windsurf/mcp_config.json'].map(name =>
      join(project.folder, name),
    );
    expect({ code, err: err.trim() }).toEqual({ code: 0, err: `using ${used}, not ${ignored}` });
  });

  it('has the timeouts of its entry, which options of the command replace', async () => {
    const limited = { url: kitchen.url, totalTimeout: 400 };
    await write('limited.json', { mcpServers: { limited } });
    const call = (...options: string[]) =>
      runTenon(project.folder, [
        'call',
        'limited',
        'slow',
        '--config',
        project.path('limited.json'),
        '--trust',
        '--json',
        ...options,
      ]);
    const entry = await call();
    expect(JSON.parse(entry.err.trim().split('\n').at(-1) ?? '')).toMatchObject({
      code: 'call/timeout',
      fix: expect.stringContaining('more time with --total-timeout'),
    });
    expect((await call('--timeout', '300ms')).err).toContain('more time with --timeout');
  });

  it('has the time to start of its entry, which is no time for calls', async () => {
    const { command, args } = shopEntry();
    const late = `setTimeout(() => import(${JSON.stringify(pathToFileURL(args[0] ?? '').href)}), 1200)`;
    await write('starts.json', {
      mcpServers: {
        silent: { command, args: ['-e', 'process.stdin.resume()'], startTimeout: 500 },
        late: { command, args: ['-e', late], startTimeout: 20_000, idleTimeout: 600 },
      },
    });
    const start = (name: string, ...options: string[]) =>
      runTenon(project.folder, [
        'list',
        name,
        '--config',
        project.path('starts.json'),
        '--trust',
        '--json',
        ...options,
      ]);
    const fail = async (...options: string[]) => {
      const { code, err } = await start('silent', ...options);
      return { exitCode: code, ...JSON.parse(err.trim().split('\n').at(-1) ?? '') };
    };
    expect(await fail()).toMatchObject({
      exitCode: 8,
      code: 'host/start-timeout',
      cause: expect.stringContaining('its `startTimeout` of 500 ms'),
    });
    expect(await fail('--timeout', '400ms')).toMatchObject({ exitCode: 8, code: 'call/timeout' });
    expect(await start('late')).toMatchObject({ code: 0, out: expect.stringContaining('price') });
  });

  it('reports its own problems, and names of all files are suggested [cli.target]', async () => {
    const failed = await list('other');
    expect(failed.code).not.toBe(0);
    expect(failed.err).toMatch(/UNSET[\s\S]*the entry of server "other"/);
    expect(await list('note')).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean "notes"?') });
  });
});
