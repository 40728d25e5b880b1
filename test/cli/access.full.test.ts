import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browse } from '../auth/scripted-browser.js';
import { MACHINE, type ProtectedNotes, startProtectedNotes } from '../auth/start-provider.js';
import { isFull } from '../support/extent.js';
import { buildCommand, projectWith, runTenon, shopEntry, startTenon, tenon } from './command.js';
import { hasTerminal, prompt, runOnTerminal } from './on-terminal.js';

let project: Awaited<ReturnType<typeof projectWith>>;
let notes: ProtectedNotes;
beforeAll(async () => {
  await buildCommand();
  project = await projectWith({ shop: shopEntry() });
  notes = await startProtectedNotes();
});
afterAll(async () => {
  await notes.close();
  await project.remove();
});

/** An HTTP server that is no MCP server, and records the headers of the first request. */
async function startRecorder() {
  const seen: Record<string, unknown>[] = [];
  const http = createServer((request, response) => {
    seen.push(request.headers);
    response.writeHead(404).end();
  });
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const close = async () => {
    http.closeAllConnections();
    await new Promise(resolve => http.close(resolve));
  };
  return { url, seen, close };
}

describe('the headers of requests', () => {
  it.each([
    ['list', []],
    ['call', ['x']],
    ['read', ['x://y']],
    ['prompt', ['x']],
    ['types', []],
    ['doctor', []],
    ['bridge', undefined],
  ])('come from options, files and variables, and no secret is shown: tenon %s [cli.headers]', async (name, rest) => {
    if (rest === undefined) return expectHelp(name);
    const recorder = await startRecorder();
    await project.write('headers.txt', '# for the tests\nX-Tenant: blue\nX-Api-Key: file-secret\n');
    await project.write('token.txt', 'token-secret\n');
    for (const file of ['headers.txt', 'token.txt']) await chmod(project.path(file), 0o600);
    const options = [
      '-H',
      'X-Trace: 1',
      '--header',
      `X-Part=\${PART}`,
      '--header-file',
      'headers.txt',
      '--token-file',
      'token.txt',
    ];
    // Two of the commands as processes: they read the headers in one place.
    const start = isFull || name === 'list' || name === 'doctor' ? tenon : runTenon;
    const ended = await start(project.folder, [name, recorder.url, ...rest, ...options], {
      PART: 'variable-secret',
    });
    await recorder.close();
    expect(recorder.seen[0]).toMatchObject({
      'x-trace': '1',
      'x-part': 'variable-secret',
      'x-tenant': 'blue',
      'x-api-key': 'file-secret',
      authorization: 'Bearer token-secret',
    });
    expect(ended.code).not.toBe(0);
    expect(ended.out + ended.err).not.toMatch(/-secret|can read|in the command line/);
  });

  const expectHelp = async (name: string) => {
    const { out } = await runTenon(project.folder, [name, '--help']);
    for (const option of ['--header-file', '--token-file', '--auth', '--print-url']) expect(out).toContain(option);
  };

  it.each([
    [['-H', 'Mcp-Session-Id: x'], 'header Mcp-Session-Id: the protocol sets it'],
    [['-H', 'Host: x'], 'header Host: the protocol sets it'],
    [['-H', 'X-A: a\nX-B: b'], 'header X-A: a line break in its value'],
    [['-H', `X-A: \${NOT_SET}`], 'environment variable not found'],
    [['-H', 'secret-without-name'], '--header: no name'],
    [['--header-file', 'none.txt'], '--header-file: file not found'],
    [['--token-file', 'empty.txt'], '--token-file: the file is empty'],
    [['--token-file', 'empty.txt', '--bearer-env', 'TOKEN'], 'both give a token'],
  ])('are refused as a usage error: %j [cli.headers]', async (options, text) => {
    await project.write('empty.txt', '\n');
    const { code, err } = await runTenon(project.folder, ['list', 'http://127.0.0.1:9/mcp', ...options], {
      TOKEN: 't',
    });
    expect([code, err]).toEqual([2, expect.stringContaining(text)]);
    expect(err).not.toContain('secret-without-name');
  });

  it('apply only to servers at a URL [cli.headers]', async () => {
    const { code, err } = await runTenon(project.folder, ['list', 'shop', '--trust', '--header-file', 'x']);
    expect([code, err]).toEqual([2, expect.stringContaining('--header-file is for servers at a URL')]);
  });

  it('cause warnings for secrets in options and readable files [cli.headers]', async () => {
    await project.write('open.txt', 'open-secret');
    await chmod(project.path('open.txt'), 0o644);
    const options = ['-H', 'X-Api-Key: literal-secret', '--token-file', 'open.txt'];
    const { err } = await runTenon(project.folder, ['list', 'http://127.0.0.1:9/mcp', ...options]);
    expect(err).toContain('warning: X-Api-Key is in the command line');
    expect(err).toContain('chmod 600 open.txt');
    expect(err).not.toMatch(/-secret/);
  });

  it('come from standard input [cli.headers]', async () => {
    const recorder = await startRecorder();
    await tenon(project.folder, ['list', recorder.url, '--header-file', '-'], {}, 'X-Tenant: green\n');
    expect(recorder.seen[0]).toMatchObject({ 'x-tenant': 'green' });
    await tenon(project.folder, ['list', recorder.url, '--token-file', '-'], {}, 'token-in\n');
    await recorder.close();
    expect(recorder.seen.at(-1)).toMatchObject({ authorization: 'Bearer token-in' });
  });
});

describe('the sign-in of a command', () => {
  const call = (...options: string[]) => ['call', notes.url, 'who', ...options];

  it('needs a terminal: the command exits with 3 and names the next step [cli.auth]', async () => {
    for (const options of [[], ['--auth', 'none'], ['--auth', 'stored'], ['--auth', 'browser', '--no-input']]) {
      const { code, err } = await tenon(project.folder, [...call(...options), '--json']);
      expect([options, code, JSON.parse(err.trim()).fix]).toEqual([options, 3, expect.any(String)]);
    }
    expect(notes.requests.some(each => each.endsWith('/auth'))).toBe(false);
  });

  it('does not start for the servers of a configuration with --no-input [cli.auth] [cli.tty]', async () => {
    await project.write('remote.json', { mcpServers: { notes: { url: notes.url } } });
    const before = notes.requests.length;
    const { code, err } = await runTenon(project.folder, ['lock', 'remote.json', '--trust', '--yes', '--no-input']);
    expect([code, err]).toEqual([4, expect.stringContaining('notes is unavailable')]);
    expect(notes.requests.slice(before).filter(each => each.startsWith('POST'))).toEqual([]);
  });

  it('uses client credentials from a file or a variable [cli.auth]', async () => {
    await project.write('secret.txt', `${MACHINE.secret}\n`);
    await chmod(project.path('secret.txt'), 0o600);
    const given = ['--auth', 'client-credentials', '--client-id', MACHINE.id];
    for (const from of [
      ['--client-secret-file', 'secret.txt'],
      ['--client-secret-env', 'SECRET'],
    ]) {
      const { code, out, err } = await runTenon(project.folder, call(...given, ...from), { SECRET: MACHINE.secret });
      expect([code, out, err]).toEqual([0, expect.stringContaining(MACHINE.id), '']);
    }
    const { code, err } = await runTenon(project.folder, call('--auth', 'client-credentials'));
    expect([code, err]).toEqual([2, expect.stringContaining('--client-secret-file')]);
  });

  it.runIf(isFull)('shows the page and the code of a device sign-in, and stores the token [cli.auth]', async () => {
    const child = startTenon(project.folder, call('--auth', 'device'));
    const texts = { out: '', err: '' };
    child.stdout?.setEncoding('utf8').on('data', text => (texts.out += text));
    child.stderr?.setEncoding('utf8').on('data', text => (texts.err += text));
    const ended = new Promise(resolve => child.once('close', resolve));
    await expect.poll(() => texts.err).toMatch(/code in it: \S+/);
    expect(texts.err).toMatch(/enter the code: \S{4}-\S{4}/);
    const [, page = ''] = /code in it: (\S+)/.exec(texts.err) ?? [];
    const last = await browse(new URL(page), prompt => (prompt === 'login' ? { login: 'ada', password: 'x' } : {}));
    expect(last).toContain('200');
    expect([await ended, texts.out]).toEqual([0, expect.stringContaining('ada')]);
    const stored = await runTenon(project.folder, call('--auth', 'stored'));
    expect([stored.code, stored.out]).toEqual([0, expect.stringContaining('ada')]);
  });

  it.runIf(isFull)('shares a refreshed token with the commands of the daemon [cli.keep] [cli.auth]', async () => {
    const file = project.path('home/tokens.json');
    const countRequests = () => notes.requests.filter(each => each === 'POST /token').length;
    const expire = async () => {
      const text = await readFile(file, 'utf8');
      const expired = text.replace(/"(expires|renew)":\s*\d+/g, '"$1":1000');
      expect(expired).not.toBe(text);
      await writeFile(file, expired);
    };
    for (const [first, second] of [
      [['--keep'], []],
      [[], ['--keep']],
    ] as const) {
      await expire();
      const before = countRequests();
      for (const more of [first, second]) {
        const { code, out, err } = await tenon(project.folder, call('--auth', 'stored', ...more));
        expect([code, out, err]).toEqual([0, expect.stringContaining('ada'), '']);
      }
      expect(countRequests() - before).toBe(1);
    }
    await tenon(project.folder, ['daemon', 'stop']);
  });

  const signUp = (url: string, stop?: (url: string) => boolean) =>
    browse(new URL(url), prompt => (prompt === 'login' ? { login: 'ada', password: 'x' } : {}), stop);

  it.skipIf(process.platform !== 'linux')('opens a browser, and continues with the token [cli.auth]', async () => {
    const [bin, page] = [project.path('bin'), project.path('page')];
    await mkdir(bin);
    await writeFile(
      join(bin, 'xdg-open'),
      `#!/bin/sh\nprintf %s "$1" > '${page}.part' && mv '${page}.part' '${page}'\n`,
    );
    await chmod(join(bin, 'xdg-open'), 0o755);
    const env = { PATH: `${bin}${delimiter}${process.env.PATH}`, TENON_HOME: project.path('home of browser') };
    const ended = tenon(project.folder, call('--auth', 'browser'), env);
    await expect.poll(() => existsSync(page)).toBe(true);
    expect(await signUp(await readFile(page, 'utf8'))).toContain('200');
    expect(await ended).toMatchObject({ code: 0, out: expect.stringContaining('ada') });
  });

  it.skipIf(!hasTerminal)(
    'prints the page, and accepts the address that is pasted in a terminal [cli.auth]',
    async () => {
      const paste = async (shown: string) => {
        const [, page = ''] = /on any machine:\s+(http\S+)/.exec(shown) ?? [];
        return `${await signUp(page, url => url.includes('code='))}\r`;
      };
      const { code, shown } = await runOnTerminal(
        project.folder,
        call('--auth', 'browser', '--print-url'),
        [[prompt('Paste the final address of the browser'), paste]],
        { env: { TENON_HOME: project.path('home of terminal'), NO_COLOR: '1' } },
      );
      expect([code, shown]).toEqual([0, expect.stringMatching(/ada\r?\n$/)]);
    },
  );
});
