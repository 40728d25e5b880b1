import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startV2Handler } from '../interop/fixtures/sdk-v2-http.js';
import { isFull } from '../support/extent.js';
import { buildCommand, EVERYTHING, projectWith, runTenon, startTenon } from './command.js';
import { serveKitchen } from './fixtures/kitchen.js';

describe('the commands for resources, prompts, changes and tasks', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  let kitchen: Awaited<ReturnType<typeof serveKitchen>>;
  let official: Awaited<ReturnType<typeof startV2Handler>>;
  beforeAll(async () => {
    await buildCommand();
    project = await projectWith({});
    kitchen = await serveKitchen();
    official = await startV2Handler();
  });
  afterAll(() => Promise.all([project.remove(), kitchen.close(), official.close()]));
  const run = (...args: string[]) => runTenon(project.folder, args);

  it('reads texts, and saves bytes [cli.read]', async () => {
    expect(await runTenon(project.folder, ['read', kitchen.url, 'note://Glue'])).toEqual({
      code: 0,
      out: 'Use hide glue.\n',
      err: '',
    });
    const { out } = await run('read', kitchen.url, 'photo://pixel', '--json');
    expect(JSON.parse(out).contents).toMatchObject([{ uri: 'photo://pixel', mimeType: 'image/png' }]);
    await runTenon(project.folder, ['read', kitchen.url, 'photo://pixel', '--save', 'out']);
    expect((await readFile(project.path('out/pixel.png'))).subarray(1, 4).toString()).toBe('PNG');
    expect((await run('read', kitchen.url, 'photo://pixel')).out).toContain('PNG');
    const text = await run('read', 'demo://resource/dynamic/text/1', '--', ...EVERYTHING);
    expect(text).toMatchObject({ code: 0, out: expect.stringContaining('Resource 1') });
    expect(await run('read', kitchen.url, 'note://None', '--json')).toMatchObject({ code: 1, out: '' });
    expect((await run('read', kitchen.url)).code).toBe(2);
    const filled = await run('read', 'demo://resource/dynamic/text/{resourceId}', 'resourceId=3', '--', ...EVERYTHING);
    expect(filled).toMatchObject({ code: 0, out: expect.stringContaining('Resource 3') });
    for (const [words, error] of [
      [['note://{title}'], 'a value for {title} is missing. Pass title=VALUE'],
      [['note://{title}', 'titel=Glue'], 'unknown argument "titel", and "title" is missing'],
      [['note://Glue', 'title=Glue'], 'unknown argument "title". Pass no arguments'],
      [['startup.md'], 'startup.md: not a URI'],
      [[''], 'no URI. See the resources of the server'],
    ] as const)
      expect(await run('read', kitchen.url, ...words)).toMatchObject({
        code: 2,
        err: expect.stringContaining(error),
      });
  });

  it('prints prompts, and validates their arguments [cli.prompt]', async () => {
    const prompted = await runTenon(project.folder, ['prompt', kitchen.url, 'summarize', 'title=Glue']);
    expect(prompted.out).toBe('user:\nSummarize: Glue\n');
    expect(await run('prompt', kitchen.url, 'summarise')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean "summarize"'),
    });
    expect(await run('prompt', kitchen.url, 'summarize')).toMatchObject({ code: 2, out: '' });
    const { out } = await run('prompt', 'args-prompt', 'city=Oslo', '--json', '--', ...EVERYTHING);
    expect(JSON.parse(out).messages[0].content.text).toContain('Oslo');
  });

  it('completes arguments of prompts and variables of templates [cli.complete-arg]', async () => {
    const completed = await runTenon(project.folder, ['complete', kitchen.url, 'summarize', 'title=Gl']);
    expect(completed.out).toBe('Glue\nGlass\n');
    const { out } = await run('complete', kitchen.url, 'note://{title}', 'title=Gla', '--json');
    expect(JSON.parse(out)).toMatchObject({ values: ['Glass'] });
    expect((await run('complete', kitchen.url, 'summarize')).code).toBe(2);
    for (const [name, word, error] of [
      ['summarize', 'titel=A', 'unknown argument "titel". Did you mean "title"?'],
      ['note://{title}', 'titel=A', 'unknown argument "titel". Did you mean "title"?'],
      ['summarise', 'title=A', 'prompt "summarise" not found. Did you mean "summarize"?'],
      ['echo', 'message=A', 'echo is a tool, whose arguments cannot be completed'],
    ])
      expect(await run('complete', kitchen.url, name ?? '', word ?? '')).toMatchObject({
        code: 2,
        err: expect.stringContaining(error ?? ''),
      });
  });

  it('prints changes as lines of JSON until Ctrl-C [cli.subscribe]', async () => {
    const child = startTenon(project.folder, ['subscribe', kitchen.url, 'note://Glue', '--read']);
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    const line = once(lines, 'line');
    // A write is repeated until the subscription of the command has begun.
    const writing = setInterval(() => kitchen.write('Glue', 'Use bone glue.'), 50);
    const [first] = await line;
    clearInterval(writing);
    expect(JSON.parse(first)).toEqual({
      uri: 'note://Glue',
      contents: [{ uri: 'note://Glue', text: 'Use bone glue.' }],
    });
    child.kill('SIGINT');
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
    kitchen.write('Glue', 'Use hide glue.');
    expect((await run('subscribe', kitchen.url)).code).toBe(2);
  });

  /** Presses Ctrl-C once, because a second one ends the command at once. Returns the exit code. */
  async function interrupt(child: ChildProcess): Promise<unknown> {
    const closed = once(child, 'close');
    child.stdout?.resume();
    child.kill('SIGINT');
    return (await closed)[0];
  }

  /** Runs `tenon subscribe` with a server that ends by itself, until two lines say that it was started again. */
  async function subscribeToShort(name: string, read: string) {
    const script = [
      "import { createServer, resource } from 'tenon';",
      "import { serveStdio } from 'tenon/stdio';",
      "const server = createServer({ name: 'short', version: '1.0.0',",
      `  resources: { 'count://one': resource({ name: 'one', read: () => ${read} }) } });`,
      'await serveStdio(server);',
      'setTimeout(() => process.exit(0), 500);',
    ];
    const file = fileURLToPath(new URL(`../../packages/cli/.cache/${name}.mjs`, import.meta.url));
    await writeFile(file, script.join('\n'));
    const child = startTenon(project.folder, ['subscribe', 'count://one', '--read', '--', process.execPath, file]);
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', text => (errors += text));
    const seen: { readonly event?: string }[] = [];
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      seen.push(JSON.parse(line));
      if (seen.filter(({ event }) => event === 'reconnected').length === 2) break;
    }
    const code = await interrupt(child);
    await rm(file);
    return { code, seen, errors };
  }

  it.runIf(isFull)('reports when a lost connection is open again, and prints no contents twice', async () => {
    const { code, seen, errors } = await subscribeToShort('short', "'always 1'");
    expect(seen).toEqual([
      { event: 'reconnected' },
      { uri: 'count://one', contents: [expect.objectContaining({ text: 'always 1' })] },
      { event: 'reconnected' },
    ]);
    expect(errors).toContain('watching 1 resource; Ctrl-C ends it');
    // One for each end of the process.
    expect(errors.match(/^tenon: .*the server exited/gm)).toHaveLength(2);
    expect(code).toBe(0);
  });

  it('continues to watch when the connection is lost during a read', async () => {
    const { code, seen } = await subscribeToShort('crashing', 'process.exit(0)');
    expect({ code, seen }).toEqual({ code: 0, seen: [{ event: 'reconnected' }, { event: 'reconnected' }] });
  });

  it.runIf(isFull)('exits with 130 when Ctrl-C is pressed before the connection is open', async () => {
    const script = "process.stderr.write('started'); setInterval(() => {}, 1000)";
    const child = startTenon(project.folder, ['subscribe', 'a://b', '-v', '--', process.execPath, '-e', script]);
    const closed = once(child, 'close');
    // The first message is written as soon as the command waits for the server.
    if (child.stderr) await once(child.stderr, 'data');
    child.kill('SIGINT');
    expect((await closed)[0]).toBe(130);
  });

  it('prints changes of lists [cli.subscribe]', async () => {
    const { server } = kitchen;
    const child = startTenon(project.folder, ['subscribe', kitchen.url, '--tools', '--prompts', '--resources']);
    const seen = new Set<string>();
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    const changing = setInterval(() => {
      for (const list of [server.tools, server.prompts, server.resources]) list.notifyChanged();
    }, 50);
    for await (const line of lines) {
      seen.add(line);
      if (seen.size === 3) break;
    }
    clearInterval(changing);
    expect([...seen].sort()).toEqual(['{"list":"prompts"}', '{"list":"resources"}', '{"list":"tools"}']);
    expect(await interrupt(child)).toBe(0);
  });

  it('gets, lists and cancels tasks, and waits for their results [cli.tasks]', async () => {
    const bake = async () => {
      const { out } = await run('call', kitchen.url, 'bake', '--json');
      const { id } = JSON.parse(out).inputRequired;
      const file = await readFile(project.path(`home/state/waiting-calls/${id}.json`), 'utf8');
      return { id, taskId: JSON.parse(file).taskId as string };
    };
    const { id: waitingId, taskId } = await bake();
    expect(JSON.parse((await run('tasks', kitchen.url, 'get', taskId, '--json')).out)).toMatchObject({
      taskId,
      status: 'input_required',
    });
    await run('answer', waitingId, 'sell=true');
    const { code, out } = await runTenon(project.folder, ['tasks', kitchen.url, 'result', taskId, '--json']);
    expect({ code, content: JSON.parse(out).content }).toMatchObject({ code: 0, content: [{ text: 'sold' }] });

    const open = await bake();
    const cancelled = await runTenon(project.folder, ['tasks', kitchen.url, 'cancel', open.taskId]);
    expect(cancelled.out).toContain('cancelled');
    const listed = await runTenon(project.folder, ['tasks', '--json', '--', ...EVERYTHING]);
    expect(listed).toMatchObject({ code: 0, out: '{"tasks":[]}\n' });
    // A server that does not know its callers has no list of their tasks.
    expect(await run('tasks', kitchen.url, '--json')).toMatchObject({ code: 1, out: '' });
    expect(await run('tasks', kitchen.url, 'get', 'none', '--json')).toMatchObject({ code: 1, out: '' });
    expect((await run('tasks', kitchen.url, 'get')).code).toBe(2);
  });

  it('reads a resource of an official server of version 2', async () => {
    const { out } = await run('list', `${official.origin}/mcp`, '--json');
    const [{ uri }] = JSON.parse(out).resources;
    expect((await run('read', `${official.origin}/mcp`, uri)).code).toBe(0);
  });
});
