import { existsSync } from 'node:fs';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { skillsExtension, skillsOf } from '@tenon/skills/client';
import { connect } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getText } from '../interop/collect.js';
import { waitForExit } from '../interop/process.js';
import { isFull, takePart } from '../support/extent.js';
import { buildCommand, commandLine, projectWith, serving, startTenon, tenon } from './command.js';

const packages = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** A server whose tool `wait` ends when the file `go` exists. */
const createModule = (extension: 'mjs' | 'ts', more = '') => `
import { existsSync } from 'node:fs';
import { createServer, tool } from 'tenon';
import { greet } from './greet.${extension}';

const pause = () => new Promise(done => setTimeout(done, 10));

export default createServer({
  name: 'greeter',
  version: '1.0.0',
  tools: {
    greet: tool({ run: () => greet('Ada') }),
    crash: tool({ run: () => process.exit(3) }),
    wait: tool({
      async run() {
        while (!existsSync('go')) await pause();
        return greet('the end');
      },
    }),
    ask: tool({
      async run(_, ctx) {
        const answer = await ctx.elicit({ message: 'Go on?', input: { type: 'object', properties: {} } });
        return greet(answer.action);
      },
    }),
    ${more}
  },
});
`;
const createGreeting = (word: string, type = '') => `export const greet = (name${type}) => \`${word} \${name}\`;\n`;

describe('tenon dev', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  beforeAll(async () => {
    await buildCommand();
    project = await projectWith({});
    await symlink(packages, project.path('node_modules'));
    await project.write('package.json', { type: 'module' });
  });
  afterAll(() => project.remove());

  it('reloads the module when a skill is added, and names the line of an invalid one [ext-skills.lib-build-manifest]', async () => {
    await mkdir(project.path('skills/a'), { recursive: true });
    await project.write('skills/a/SKILL.md', '---\nname: a\ndescription: d\n---\n');
    await project.write(
      'skilled.mjs',
      `import { skills } from '@tenon/skills';
       import { createServer } from 'tenon';
       export default createServer({ name: 'skilled', version: '1.0.0', extensions: [skills('skills')] });`,
    );
    const { url, waitForEvent, end } = await serving(project.folder, ['dev', 'skilled.mjs', '--port', '0', '--json']);
    const client = await connect(url, { extensions: [skillsExtension] });
    const listNames = async () => (await skillsOf(client).list()).skills.map(({ name }) => name);
    expect(await listNames()).toEqual(['a']);
    await project.write('skills/a/notes.md', 'notes');
    await waitForEvent(({ event }) => event === 'reloaded');
    expect((await skillsOf(client).list()).skills[0]?.files).toHaveLength(2);
    await project.write('skills/a/SKILL.md', '---\nname: B\ndescription: d\n---\n');
    // The file is empty before its content is written, so another failure can come first.
    const invalid = 'skills/a/SKILL.md:2: the name "B" is not valid';
    const failed = ({ event, message }: Record<string, unknown>) =>
      event === 'failed' && String(message).includes(invalid);
    expect(await waitForEvent(failed)).toMatchObject({ serving: true });
    expect(await listNames()).toEqual(['a']);
    await client.close();
    await end();
  });

  it('reloads changed files while sessions, streams and calls continue, and survives errors of the module [cli.dev]', async () => {
    await project.write('greet.mjs', createGreeting('Hello'));
    await project.write('server.mjs', createModule('mjs'));
    const { url, waitForEvent, end } = await serving(project.folder, ['dev', 'server.mjs', '--port', '0', '--json']);
    const states: unknown[] = [];
    const clients = await Promise.all(
      ['2025-11-25', '2026-07-28'].map(protocolVersion =>
        connect(url, {
          protocolVersion,
          async elicit() {
            await project.write('greet.mjs', createGreeting('Hi'));
            await waitForEvent(({ event, files }) => event === 'reloaded' && String(files) === 'greet.mjs');
            return { action: 'accept', content: {} };
          },
        }),
      ),
    );
    const changes = clients.map(client => {
      client.on('state', state => states.push(state));
      return client.watch({ tools: true })[Symbol.asyncIterator]();
    });
    const notified = changes.map(each => each.next());
    const waiting = clients.map(client => client.callTool('wait', {}));
    const greetAll = () => Promise.all(clients.map(async client => getText(await client.callTool('greet', {}))));
    expect(await greetAll()).toEqual(['Hello Ada', 'Hello Ada']);

    // The call asks while the old code runs. On 2026-07-28 the answer begins a request of its own, to the new code.
    expect(getText(await clients[1]?.callTool('ask', {}))).toBe('Hi accept');
    expect(await greetAll()).toEqual(['Hi Ada', 'Hi Ada']);

    await project.write('server.mjs', createModule('mjs', 'more: tool({ run: () => "more" }),'));
    expect(
      await waitForEvent(({ event, files }) => event === 'reloaded' && String(files) === 'server.mjs'),
    ).toMatchObject({
      lists: ['tools'],
    });
    expect((await Promise.all(notified)).map(({ value }) => value.list)).toEqual(['tools', 'tools']);
    await project.write('go', '');
    expect((await Promise.all(waiting)).map(getText)).toEqual(['Hello the end', 'Hello the end']);

    await project.write('greet.mjs', 'export const greet = name =>\n  nonsense(;\n');
    expect(await waitForEvent(({ event }) => event === 'failed')).toMatchObject({
      serving: true,
      file: project.path('greet.mjs'),
      line: 2,
      column: 12,
    });
    expect(await greetAll()).toEqual(['Hi Ada', 'Hi Ada']);

    await expect(clients[0]?.callTool('crash', {})).rejects.toThrow('ended before it responded');
    expect(await waitForEvent(({ event }) => event === 'crashed')).toMatchObject({
      message: 'the process exited with 3 by itself',
    });
    await project.write('greet.mjs', createGreeting('Healed'));
    await expect.poll(() => greetAll().catch(error => error.message)).toEqual(['Healed Ada', 'Healed Ada']);

    expect(states).toEqual([]);
    for (const each of changes) await each.return?.();
    for (const client of clients) await client.close();
    expect(await end()).toBe(0);
  });

  it('reloads the module when a file that it imports is created again, or for the first time', async () => {
    await project.write(
      'late.ts',
      "import './part.ts';\nimport { createServer } from 'tenon';\nexport default createServer({ name: 'x', version: '1.0.0' });\n",
    );
    await project.write('part.ts', '');
    const { waitForEvent, end } = await serving(project.folder, ['dev', 'late.ts', '--port', '0', '--json']);
    await waitForEvent(({ event }) => event === 'loaded');
    await rm(project.path('part.ts'));
    await waitForEvent(({ event, message }) => event === 'failed' && String(message).includes('part.ts'));
    await project.write('part.ts', '');
    await waitForEvent(({ event, files }) => event === 'reloaded' && String(files) === 'part.ts');
    await mkdir(project.path('deep'));
    await project.write('part.ts', "import './deep/other.ts';\n");
    await waitForEvent(({ event, message }) => event === 'failed' && String(message).includes('other.ts'));
    await project.write('deep/other.ts', '');
    await waitForEvent(({ event, files }) => event === 'reloaded' && String(files) === join('deep', 'other.ts'));
    expect(await end()).toBe(0);
  });

  it.runIf(isFull)(
    'waits for a change after a process has ended soon after each of four restarts [cli.dev]',
    async () => {
      const text =
        "import { createServer } from 'tenon';\nexport default createServer({ name: 'x', version: '1.0.0' });\n";
      await project.write('ends.mjs', `${text}setTimeout(() => process.exit(7), 1200);\n`);
      const { waitForEvent, lines, end } = await serving(project.folder, ['dev', 'ends.mjs', '--port', '0', '--json']);
      await waitForEvent(({ event, restarting }) => event === 'crashed' && restarting === false);
      const count = (name: string) => lines.filter(({ event }) => event === name).length;
      expect([count('loaded'), count('crashed')]).toEqual([5, 5]);
      await project.write('ends.mjs', text);
      await expect.poll(() => count('loaded')).toBe(6);
      expect(await end()).toBe(0);
    },
  );

  it('keeps the connection of a host that starts it, and reports errors with their lines on standard error [cli.dev]', async () => {
    await project.write('greet.ts', createGreeting('Hello', ': string'));
    await project.write('server.ts', createModule('ts'));
    let errors = '';
    const client = await connect({
      ...commandLine(project.folder, 'dev', '--stdio', 'server.ts'),
      stderr: line => (errors += `${line}\n`),
    });
    const greet = async () => getText(await client.callTool('greet', {}));
    expect(await greet()).toBe('Hello Ada');
    await project.write('greet.ts', "throw new Error('no greeting');\nexport const greet = () => '';\n");
    await expect.poll(() => errors).toContain('greet.ts:1:7: Error: no greeting');
    expect(errors).toContain("> 1 | throw new Error('no greeting');");
    await project.write('greet.ts', createGreeting('Bye', ': string'));
    await expect.poll(greet).toBe('Bye Ada');
    await client.close();
  });

  it.each(
    takePart(
      [
        ['without `onError`', ''],
        ['with its own `onError`', 'onError: () => {},'],
      ] as const,
      0,
      2,
    ),
  )('shows the complete error that the client does not see, of a server %s [cli.dev]', async (_, onError) => {
    await project.write(
      'masking.mjs',
      `import { createServer, tool } from 'tenon';
       const fail = tool({ run() { throw new Error('the account db-3 is locked'); } });
       export default createServer({ name: 'masking', version: '1.0.0', ${onError} tools: { fail } });`,
    );
    const { url, errors, end } = await serving(project.folder, ['dev', 'masking.mjs', '--port', '0', '--json']);
    const client = await connect(url);
    expect(getText(await client.callTool('fail', {}))).toBe('Tool fail failed');
    await expect.poll(errors).toMatch(/tool\/threw[\s\S]*the account db-3 is locked[\s\S]*masking\.mjs/);
    expect(errors().match(/tool\/threw/g)).toHaveLength(1);
    await client.close();
    await end();
  });

  it.each([
    [
      'export const admin = 1;\nexport const other = 2;\n',
      'dev-0.mjs#nope',
      'no export has the name "nope"',
      '#admin, #other',
    ],
    ['export const admin = 1;\n', 'dev-0.mjs', 'no server is exported', 'export default createServer'],
  ])('exits with 2 when the first load finds no server: %j', async (text, reference, error, hint) => {
    await project.write('dev-0.mjs', text);
    const { code, err } = await tenon(project.folder, ['dev', reference, '--port', '0']);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(error) });
    expect(err).toContain(hint);
    expect(err).not.toContain('Save a file');
  });

  it('names functions that could return a server, and no export that was tried', async () => {
    await project.write(
      'dev-0.mjs',
      'export default 5;\nexport const limit = 1;\nexport const make = () => undefined;\n',
    );
    const { code, err } = await tenon(project.folder, ['dev', 'dev-0.mjs', '--port', '0']);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('name one of the exports: #make.') });
  });

  it('exits with 2 for a folder', async () => {
    const { code, err } = await tenon(project.folder, ['dev', '.', '--port', '0']);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('this is a folder: ') });
  });

  it.runIf(isFull)(
    'waits for the first version that loads, refuses calls until then, and leaves no process behind [cli.dev]',
    async () => {
      await project.write(
        'broken.ts',
        `import { createServer } from 'tenon';
       import { serveStdio } from 'tenon/stdio';
       await serveStdio(createServer({ name: 'x', version: '1.0.0' }));
       await new Promise(() => {});`,
      );
      const child = startTenon(project.folder, ['dev', 'broken.ts', '--port', '0']);
      const texts = { out: '', err: '' };
      child.stdout?.setEncoding('utf8').on('data', text => (texts.out += text));
      child.stderr?.setEncoding('utf8').on('data', text => (texts.err += text));
      const expectError = (text: string) => expect.poll(() => texts.err).toContain(text);
      await expectError('exited with 0 while it was loaded. Export the server, and do not start it in the module');
      await project.write('broken.ts', 'export default 1;\n');
      await expectError('no server is exported');
      const [url = ''] = /http:\S+mcp/.exec(texts.out) ?? [];
      await expect(connect(url)).rejects.toThrow('The server does not load');
      await project.write(
        'broken.ts',
        `import { createServer, tool } from 'tenon';
       const tools = { pid: tool({ run: () => String(process.pid) }) };
       export default createServer({ name: 'x', version: '1.0.0', tools });`,
      );
      await expectError('loaded in');
      const client = await connect(url);
      const pid = Number(getText(await client.callTool('pid', {})));
      await client.close();
      const exited = new Promise(resolve => child.once('exit', resolve));
      child.kill('SIGINT');
      expect(await exited).toBe(0);
      await waitForExit(pid);
      expect(existsSync(project.path('go'))).toBe(true);
    },
  );
});
