import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startV2Handler } from '../interop/fixtures/sdk-v2-http.js';
import { waitForExit } from '../interop/process.js';
import { buildCommand, EVERYTHING, projectWith, runTenon, shopEntry, startTenon, tenon } from './command.js';
import { serveKitchen } from './fixtures/kitchen.js';

describe('tenon call', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  let kitchen: Awaited<ReturnType<typeof serveKitchen>>;
  let official: Awaited<ReturnType<typeof startV2Handler>>;
  beforeAll(async () => {
    await buildCommand();
    project = await projectWith({ shop: shopEntry() });
    kitchen = await serveKitchen();
    official = await startV2Handler();
  });
  afterAll(() => Promise.all([project.remove(), kitchen.close(), official.close()]));
  const call = (...args: string[]) => runTenon(project.folder, ['call', ...args]);

  it('calls tools of our server, and of official servers of both versions [cli.call]', async () => {
    expect(await runTenon(project.folder, ['call', kitchen.url, 'echo', 'message=hi'])).toEqual({
      code: 0,
      out: 'hi\n',
      err: '',
    });
    expect(await call('echo', 'message=hi', '--', ...EVERYTHING)).toMatchObject({ code: 0, out: 'Echo: hi\n' });
    expect(JSON.parse((await call(`${official.origin}/mcp`, 'add', 'a=1', 'b=2', '--json')).out)).toMatchObject({
      structuredContent: { sum: 3 },
    });
    expect(await call('shop', 'price', 'of=glue', '--trust')).toMatchObject({ code: 0, out: 'glue costs 4\n' });
  });

  it('converts texts into the types of the schema [cli.call]', async () => {
    await project.write('message.txt', 'from a file');
    const echo = async (...args: string[]) => (await call(kitchen.url, ...args)).out.trim();
    expect(await echo('echo', 'message=5', 'times=2', 'tags=a', 'tags=b')).toBe('5 5 a b');
    expect(await echo('echo', 'message:="x=y"', 'tags:=["a"]')).toBe('x=y a');
    expect(await echo('echo', 'message=@message.txt')).toBe('from a file');
    expect(await echo(`echo(message: 'it is', times: 2,)`)).toBe('it is it is');
    expect(await echo('echo("first", 3)')).toBe('first first first');
    expect(await echo('show', 'value={"a":[1,null]}')).toBe('{"a":[1,null]}');
    expect(await echo('show(value: { a: [1, { "b c": true }] })')).toBe('{"a":[1,{"b c":true}]}');
    expect(await echo('echo', '--args', '{"message":"json"}')).toBe('json');
    await project.write('args.json', { message: 'both', tags: ['a'] });
    await project.write('tags.json', ['b', 'c']);
    expect(await echo('echo', '--args', '@args.json', 'tags:=@tags.json')).toBe('both b c');
    const typed = ['message=x=y', 'times=2', 'tags:=["a"]'];
    const converted = await runTenon(project.folder, ['call', kitchen.url, 'echo', ...typed]);
    expect(converted.out).toBe('x=y x=y a\n');
    const fromFile = await runTenon(project.folder, ['call', kitchen.url, 'echo', 'message=@message.txt']);
    expect(fromFile.out).toBe('from a file\n');
    const written = await runTenon(project.folder, ['call', kitchen.url, `sum(a: 1, b: 2)`, '--json']);
    expect(JSON.parse(written.out).structuredContent).toEqual({ total: 3 });
    const piped = await tenon(
      project.folder,
      ['call', kitchen.url, 'echo', 'times=2', '--args', '-'],
      {},
      '{"message":"in"}',
    );
    expect(piped.out).toBe('in in\n');
  });

  it.each([
    [['ecko', 'message=hi'], 'did you mean "echo"'],
    [['echo', 'mesage=hi'], 'did you mean "message"'],
    [['echo'], 'echo(message: string, times?: number, tags?: string[])'],
    [['echo', 'message=hi', 'times=9'], 'times'],
    [['sum', 'a=1', 'b=x'], 'expected number, got "x"'],
    [['sum', 'a=1', 'a=2', 'b=1'], 'given 2 times'],
    [['echo', 'hi'], 'NAME=VALUE'],
    [['echo', 'message=@none.txt'], 'cannot read'],
    [['echo', 'message:=hi'], 'invalid JSON'],
    [['sum', 'a=1', 'c=2'], 'unknown argument "c", and "b" is missing. use one of: a, b; --args accepts others'],
    [['sum', 'x=1', 'y=2', '--args', '{"a":1}'], 'unknown argument "x", "y", and "b" is missing'],
    [['echo', '--args', '@none.json'], '--args: cannot read'],
    [['echo', '--args', '@broken.json'], 'broken.json has invalid JSON. correct the file'],
    [['echo', 'message:=@broken.json'], 'broken.json has invalid JSON. correct the file'],
    [['echo', '--args', '[1]'], 'not a JSON object'],
    [['echo(message: )'], 'expected a value'],
    [['sum(1, 2, 3)'], '3 values'],
    [[], 'tenon list'],
  ])('refuses arguments before they are sent: %j [cli.call]', async (args, text) => {
    await project.write('broken.json', '{"message":');
    const { code, out, err } = await call(kitchen.url, '--json', ...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    const { cause, fix } = JSON.parse(err);
    expect(`${cause}. ${fix}`).toContain(text);
  });

  it('exits with 5 for an error of the tool [cli.exit]', async () => {
    expect(await runTenon(project.folder, ['call', kitchen.url, 'fail'])).toEqual({
      code: 5,
      out: 'The oven is cold.\n',
      err: 'tenon: the tool fail returned an error\n',
    });
    const { code, out, err } = await call(kitchen.url, 'fail', '--json');
    expect(code).toBe(5);
    expect(JSON.parse(out)).toMatchObject({ isError: true });
    expect(JSON.parse(err)).toMatchObject({ code: 'tool/failed', cause: 'The oven is cold.', exit: 5 });
    expect(await call(kitchen.url, 'fail', '--output', 'raw')).toEqual({
      code: 5,
      out: 'The oven is cold.',
      err: 'tenon: the tool fail returned an error\n',
    });
  });

  it('exits with 8 when no response arrives in time [cli.exit]', async () => {
    const { code, out, err } = await call(kitchen.url, 'slow', '--timeout', '300ms', '--json');
    expect({ code, out }).toEqual({ code: 8, out: '' });
    expect(JSON.parse(err)).toMatchObject({ code: 'call/timeout', fix: expect.stringContaining('--timeout') });
  });

  it('prints structured content, and the result as one JSON object', async () => {
    expect((await call(kitchen.url, 'sum', 'a=1', 'b=2')).out).toBe('{\n  "total": 3\n}\n');
    const { out, err } = await call(kitchen.url, 'sum', 'a=1', 'b=2', '--json');
    expect(JSON.parse(out)).toMatchObject({ structuredContent: { total: 3 } });
    expect(err).toBe('');
  });

  it('saves images, and overwrites no file [cli.call]', async () => {
    expect((await call(kitchen.url, 'picture')).out).toContain(
      '[image image/png, 70 bytes: save it with --save FOLDER]',
    );
    const { saved } = JSON.parse((await call(kitchen.url, 'picture', '--save', 'out', '--json')).out);
    expect(saved).toEqual([{ path: project.path('out/picture.png'), mimeType: 'image/png', bytes: 70 }]);
    const saving = await runTenon(project.folder, ['call', kitchen.url, 'picture', '--save', 'out']);
    expect(saving.err).toContain('out/picture-2.png (70 bytes)');
    expect((await readdir(project.path('out'))).sort()).toEqual(['picture-2.png', 'picture.png']);
    expect((await readFile(project.path('out/picture.png'))).subarray(1, 4).toString()).toBe('PNG');
  });

  it('writes text, JSON or the content itself [cli.call]', async () => {
    expect((await call(kitchen.url, 'echo', 'message=hi', '--output', 'raw')).out).toBe('hi');
    const json = await call(kitchen.url, 'echo', 'message=hi', '--output', 'json');
    expect(JSON.parse(json.out).content).toEqual([{ type: 'text', text: 'hi' }]);
    const missed = await runTenon(project.folder, ['call', kitchen.url, 'ecko', '--output=json']);
    expect([missed.code, JSON.parse(missed.err).code]).toEqual([2, 'cli/usage']);
    const child = startTenon(project.folder, ['call', kitchen.url, 'picture', '--output', 'raw']);
    const chunks: Buffer[] = [];
    for await (const chunk of child.stdout ?? []) chunks.push(chunk);
    expect(Buffer.concat(chunks).subarray(1, 4).toString()).toBe('PNG');
    expect(Buffer.concat(chunks)).toHaveLength(70);
  });

  it('sends headers and a token, and does not accept them for a process', async () => {
    const env = { TOKEN: '0123456789abcdef' };
    const given = ['--header', 'x-trace=1', '--bearer-env', 'TOKEN'];
    expect((await runTenon(project.folder, ['call', kitchen.url, 'echo', 'message=hi', ...given], env)).code).toBe(0);
    const refused = await runTenon(project.folder, ['call', 'echo', ...given, '--', ...EVERYTHING], env);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('servers at a URL') });
  });

  it('cancels the call and exits with 130 on Ctrl-C, and leaves no process [cli.call]', async () => {
    const { events } = kitchen;
    const [begun, cancelled] = [once(events, 'slow'), once(events, 'cancelled')];
    const child = startTenon(project.folder, ['call', kitchen.url, 'slow']);
    child.stderr?.resume();
    await begun;
    child.kill('SIGINT');
    const [code] = await once(child, 'close');
    expect(code).toBe(130);
    await cancelled;
    await waitForExit(child.pid ?? 0);
  });
});
