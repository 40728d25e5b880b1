import { execFile } from 'node:child_process';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { createServer, prompt, resource, tool } from 'tenon';
import { type HttpServer, serveHttp } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { getProgram, hasPrograms, type OptionalProgram } from '../../scripts/optional-programs.mjs';
import { isFull } from '../support/extent.js';
import { buildCommand, commandLine, projectWith, runTenon, shopEntry } from './command.js';

function createWorkshop() {
  return createServer({
    name: 'workshop',
    version: '1.0.0',
    tools: {
      saw: tool({
        description: 'Saws a board.\nSlowly.',
        input: z.object({
          board: z.string().describe('The board'),
          wood: z.enum(['oak', 'old pine']),
          sizes: z.array(z.number()).optional(),
          fast: z.boolean().optional(),
        }),
        run: ({ board }) => board,
      }),
      sand: tool({ run: () => 'sanded' }),
      glue: tool({ run: () => 'glued' }),
    },
    prompts: {
      plan: prompt({ input: z.object({ piece: z.string() }), run: ({ piece }) => piece }),
      'draw $(touch pwned)': prompt({ run: () => 'drawn' }),
    },
    resources: {
      'note://glue': resource({ read: () => 'Use hide glue.' }),
      'part://{name}': resource({ read: ({ name }) => name }),
    },
  });
}

describe('tenon completion', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  let server: HttpServer;
  beforeAll(async () => {
    await buildCommand();
    server = await serveHttp(createWorkshop(), { port: 0 });
    project = await projectWith({ shop: shopEntry(), kiosk: { url: server.url } });
    const { command, args } = commandLine(project.folder);
    const shim = `#!/bin/sh\nexec ${[command, ...args].map(word => `'${word}'`).join(' ')} "$@"\n`;
    await writeFile(join(project.folder, 'tenon'), shim);
    await chmod(join(project.folder, 'tenon'), 0o755);
    expect((await runTenon(project.folder, ['list', 'kiosk', '--trust', '--json'])).code).toBe(0);
  });
  afterAll(() => Promise.all([project.remove(), server.close()]));

  /** Candidates with their descriptions, as fish gets them. */
  const complete = async (...words: string[]) => {
    const { code, out, err } = await runTenon(project.folder, ['completion', 'fish', '--', ...words]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return out.trimEnd().split('\n');
  };
  const values = async (...words: string[]) => (await complete(...words)).map(line => line.split('\t')[0]);

  it('completes commands, subcommands and options [cli.complete]', async () => {
    expect(await complete('ca')).toEqual(['call\tcall a tool']);
    expect(await values('')).toEqual(expect.arrayContaining(['list', 'gateway', 'completion', 'help']));
    expect(await values('--v')).toEqual(['--version']);
    expect(await values('audit', '')).toContain('verify');
    expect(await values('call', '--ti')).toEqual(['--timeout']);
    expect(await values('call', '--transport', '')).toEqual(['http', 'http-sse']);
    expect(await values('call', '--auth=st')).toEqual(['--auth=stored']);
    expect(await values('completion', '')).toEqual(['bash', 'zsh', 'fish', 'powershell']);
    expect(await values('help', 'ser')).toEqual(await values('ser'));
  });

  it('completes names of hosts, checks and schemas, and the server of a replay', async () => {
    expect(await values('add', 'x', '--host', 'cu')).toEqual(['cursor']);
    expect(await values('add', 'x', '--host', 'cursor,cod')).toEqual(['cursor,codex']);
    expect(await values('sync', '--host=cur')).toEqual(['--host=cursor']);
    expect(await values('doctor', 'kiosk', '--only', 'sch')).toEqual(['schemas']);
    expect(await values('schema', 'li')).toEqual(['list']);
    expect(await values('replay', 'bug.ndjson', '--against', 'ki')).toEqual(['kiosk']);
  });

  it('completes an empty word of PowerShell, which drops empty arguments', async () => {
    const run = async (...args: string[]) =>
      (await runTenon(project.folder, ['completion', 'powershell', ...args])).out;
    expect(await run('--word=', '--', 'call', 'kiosk')).toContain('saw\tSaws a board.');
    expect(await run('--word=sa', '--', 'call', 'kiosk')).toMatch(/^saw\t.*\nsand\n$/);
    expect(await run('--word=', '--')).toContain('list\t');
    expect(await run()).toContain('"--word=$wordToComplete" -- @words');
  });

  it('completes servers of the configuration, and starts none', async () => {
    expect(await values('list', '')).toEqual(expect.arrayContaining(['shop', 'kiosk']));
    expect(await values('call', '--json', '--timeout', '5s', 'ki')).toEqual(['kiosk']);
    // Files are left to the shell, and so is the command line of a server.
    expect(await values('list', './')).toEqual(['']);
    expect(await values('list', '--', 'no')).toEqual(['']);
  });

  it('completes tools, arguments and their values from the last use of the server [cli.complete]', async () => {
    expect(await complete('call', 'kiosk', 's')).toEqual(['saw\tSaws a board.', 'sand']);
    expect(await complete('call', 'kiosk', 'saw', '')).toEqual(['board=\tThe board', 'wood=', 'sizes:=', 'fast=']);
    expect(await values('call', 'kiosk', 'saw', 'board=x', 'sizes:=[1]', '')).toEqual(['wood=', 'fast=']);
    expect(await values('call', 'kiosk', 'saw', 'wood=')).toEqual(['wood=oak', 'wood=old pine']);
    expect(await values('call', 'kiosk', 'saw', 'fast=t')).toEqual(['fast=true']);
    expect(await values('prompt', 'kiosk', 'p')).toEqual(['plan']);
    expect(await values('prompt', 'kiosk', 'plan', '')).toEqual(['piece=']);
    expect(await values('read', 'kiosk', 'note')).toEqual(['note://glue']);
    expect(await values('complete', 'kiosk', 'part')).toEqual(['part://{name}']);
    expect(await values('complete', 'kiosk', 'part://{name}', '')).toEqual(['name=']);
    expect(await values('call', 'shop', '')).toEqual(['']);
  });

  it('keeps the names where only the user can read them, without the URL of the server', async () => {
    const folder = join(project.folder, 'home/state/completion');
    const [file = '', ...others] = await readdir(folder);
    expect(others).toEqual([]);
    expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(folder, file), 'utf8')).not.toContain('127.0.0.1');
  });

  it('changes nothing if the folder of the user is not writable', async () => {
    const env = { TENON_HOME: join(project.folder, 'mcp.json') };
    expect((await runTenon(project.folder, ['list', server.url, '--json'], env)).code).toBe(0);
    const { code, out } = await runTenon(project.folder, ['completion', 'fish', '--', 'call', server.url, ''], env);
    expect({ code, out }).toEqual({ code: 0, out: '' });
  });

  it('names the shells when another one is passed', async () => {
    const { code, err } = await runTenon(project.folder, ['completion', 'tcsh']);
    expect(code).toBe(2);
    expect(err).toContain('bash, zsh, fish, powershell');
  });

  const run = async (shell: OptionalProgram, args: readonly string[]) => {
    const env = {
      ...process.env,
      PATH: `${project.folder}${delimiter}${process.env.PATH}`,
      TENON_HOME: join(project.folder, 'home'),
    };
    const { stdout } = await promisify(execFile)(getProgram(shell), args, { cwd: project.folder, env });
    return stdout.trimEnd().split('\n');
  };

  it.skipIf(!hasPrograms('bash'))('loads in Bash, and evaluates nothing of the line [cli.complete]', async () => {
    const inBash = (line: string) =>
      run('bash', [
        '--norc',
        '-c',
        `eval "$(tenon completion bash)"; COMP_LINE=$1 COMP_POINT=\${#1}; _tenon; printf "%s\\n" "\${COMPREPLY[@]}"`,
        'bash',
        line,
      ]);
    expect(await inBash('tenon ca')).toEqual(['call']);
    expect(await inBash("tenon call 'kiosk' saw bo")).toEqual(['board=']);
    // Bash completes what follows `=` or `:`.
    expect(await inBash('tenon call kiosk saw wood=o')).toEqual(['oak', 'old\\ pine']);
    expect(await inBash('tenon read kiosk note:')).toEqual(['//glue']);
    expect(await inBash('tenon prompt kiosk dr')).toEqual(['draw\\ \\$\\(touch\\ pwned\\)']);
    expect(await inBash('tenon call kiosk $(touch pwned) `touch pwned` ')).toEqual(['']);
    expect(await readdir(project.folder)).not.toContain('pwned');
  });

  it.skipIf(!hasPrograms('fish') || !isFull)('loads in fish', async () => {
    const inFish = (line: string) =>
      run('fish', ['--no-config', '-c', 'tenon completion fish | source; complete -C $argv[1]', line]);
    expect(await inFish('tenon ca')).toEqual(['call\tcall a tool']);
    expect(await inFish('tenon call kiosk saw wood=')).toEqual(['wood=oak', 'wood=old pine']);
    expect(await inFish('tenon list ./mc')).toEqual(['./mcp.json']);
  });

  it.skipIf(!hasPrograms('zsh') || !isFull)('loads in zsh', async () => {
    const inZsh = (...words: string[]) =>
      run('zsh', [
        '-f',
        '-c',
        `compdef() { : }; compadd() { local name=$argv[-1]; print -r -- \${(P)name}; }; _files() { print files; }
         eval "$(tenon completion zsh)"; words=(tenon "$@"); CURRENT=$(( $# + 1 )); _tenon`,
        'zsh',
        ...words,
      ]);
    expect(await inZsh('ca')).toEqual(['call']);
    expect(await inZsh('call', "'kiosk'", 'saw', '')).toEqual(['board= wood= sizes:= fast=']);
    expect(await inZsh('list', './')).toEqual(['files']);
  });
});
