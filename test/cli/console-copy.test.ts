/** Calls that are copied from the console, run by real shells against a real server. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { isObject } from '@tenon/base';
import type { Shell } from '@tenon/base/writers';
import type { CallCopy, CopyFormat } from '@tenon/console/api';
import { createServer, tool } from 'tenon';
import { type HttpServer, serveHttp } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestConsole } from '../../packages/cli/src/console/fixtures/console-page.js';
import { getProgram, hasPrograms } from '../../scripts/optional-programs.mjs';
import { buildCommand, commandLine, projectWith } from './command.js';

const run = promisify(execFile);
const HEADER_SECRET = 'header-value-of-the-user';
const PASSWORD = 'correct horse battery staple';
const args = {
  note: 'it\'s "a" $(touch pwned) `touch pwned` \\ \\\\ ü\n!! %PATH% {x,y} *',
  tags: ["o'clock", '@file'],
  count: 3,
  password: PASSWORD,
};

const server = createServer({
  name: 'notes',
  version: '1.0.0',
  tools: {
    add: tool({
      input: {
        type: 'object',
        properties: {
          note: { type: 'string' },
          tags: { type: 'array', items: { type: 'string' } },
          count: { type: 'integer' },
          password: { type: 'string' },
        },
      },
      run: given => JSON.stringify(given),
    }),
  },
});

describe.skipIf(!hasPrograms('bash', 'curl'))('a call that is copied from the console', () => {
  let http: HttpServer;
  let folder: Awaited<ReturnType<typeof projectWith>>;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    await buildCommand();
    http = await serveHttp(server, {
      port: 0,
    });
    folder = await projectWith({});
    const { command, args: words, env: commandEnv } = commandLine(folder.folder);
    await mkdir(join(folder.folder, 'bin'));
    const file = join(folder.folder, 'bin/tenon');
    await writeFile(file, `#!/bin/sh\nexec '${command}' '${words.join("' '")}' "$@"\n`);
    await chmod(file, 0o755);
    env = {
      ...process.env,
      ...commandEnv,
      PATH: [join(folder.folder, 'bin'), process.env.PATH].join(delimiter),
      MCP_PASSWORD: PASSWORD,
      MCP_X_TEAM: HEADER_SECRET,
    };
  });

  afterAll(async () => {
    await http?.close();
    await folder?.remove();
  });

  async function copy(version: string, format: CopyFormat, shell: Shell): Promise<CallCopy> {
    const opened = await openTestConsole({
      targets: [{ name: 'notes', target: { reference: { kind: 'url', url: http.url }, asks: false } }],
      connection: { protocolVersion: version, header: { 'X-Team': HEADER_SECRET } },
    });
    try {
      await opened.waitFor('server', event => event.server.counts !== null);
      const params = { name: 'add', arguments: args };
      const { id } = await opened.call('POST', 'calls', { server: 'notes', method: 'tools/call', params });
      await opened.waitFor('call', event => event.call.id === id && event.call.took !== null);
      const response = await opened.send('GET', `calls/${id}/copy?as=${format}&shell=${shell}`);
      return (await response.json()) as CallCopy;
    } finally {
      await opened.close();
    }
  }

  async function runIn(shell: 'bash' | 'zsh' | 'fish', text: string): Promise<unknown> {
    const { stdout } = await run(getProgram(shell), ['-c', text], { env, cwd: folder.folder });
    expect(await readdir(folder.folder)).not.toContain('pwned');
    return findText(stdout);
  }

  const shells = (['bash', 'zsh', 'fish'] as const).filter(shell => hasPrograms(shell));

  it.each(shells)('calls with the same arguments as a line of tenon in %s', async shell => {
    const { text, variables } = await copy('2026-07-28', 'tenon', shell);
    expect(variables).toEqual(['MCP_PASSWORD', 'MCP_X_TEAM']);
    expect(text).not.toMatch(new RegExp(`${PASSWORD}|${HEADER_SECRET}`));
    expect(JSON.parse(String(await runIn(shell, text)))).toEqual(args);
  });

  it.each(['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])(
    'calls with the same arguments as lines of curl on %s',
    async version => {
      const { text, variables } = await copy(version, 'curl', 'bash');
      expect(variables).toEqual(['MCP_PASSWORD', 'MCP_X_TEAM']);
      expect(text).not.toMatch(new RegExp(`${PASSWORD}|${HEADER_SECRET}`));
      expect(JSON.parse(String(await runIn('bash', text)))).toEqual(args);
    },
  );

  it.each(shells)('calls with the same arguments as lines of curl in %s, with and without a session', async shell => {
    for (const version of ['2025-11-25', '2026-07-28']) {
      const { text } = await copy(version, 'curl', shell);
      expect(JSON.parse(String(await runIn(shell, text)))).toEqual(args);
    }
  });

  it('is written for PowerShell with variables of its environment', async () => {
    const { text } = await copy('2026-07-28', 'tenon', 'powershell');
    expect(text).toContain("('password=' + $env:MCP_PASSWORD)");
    const { text: curl } = await copy('2025-11-25', 'curl', 'powershell');
    expect(curl).toContain('$env:session = ');
    expect(curl).toContain('| curl.exe -sS');
  });

  it('is written as JSON without secrets, and as TypeScript with the types of the tool', async () => {
    const json: unknown = JSON.parse((await copy('2026-07-28', 'json', 'bash')).text);
    expect(json).toEqual({ method: 'tools/call', params: { name: 'add', arguments: { ...args, password: '…' } } });
    const { text } = await copy('2026-07-28', 'typescript', 'bash');
    expect(text).toContain('interface AddInput {');
    expect(text).toContain("password: process.env.MCP_PASSWORD ?? '',");
    expect(text).toContain("'X-Team': process.env.MCP_X_TEAM ?? ''");
  });
});

/** Finds the text of a result: printed alone, as JSON, or as an event. */
function findText(output: string): unknown {
  const [, event] = /^data: (\{.*)$/m.exec(output) ?? [];
  try {
    const message: unknown = JSON.parse(event ?? output);
    if (!isObject(message) || !isObject(message.result)) return output;
    const { content } = message.result;
    return Array.isArray(content) ? content[0]?.text : output;
  } catch {
    return output;
  }
}
