import { readFile, stat } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repeatAfterPause } from '../interop/repeat-after-pause.js';
import { connectSdkV1 } from '../interop/sdk-v1-client.js';
import { connectSdkV2 } from '../interop/sdk-v2-client.js';
import { isFull } from '../support/extent.js';
import { buildCommand, commandLine, EVERYTHING, projectWith, runTenon, serving } from './command.js';
import { serveKitchen } from './fixtures/kitchen.js';

type Connected = Awaited<ReturnType<typeof connectSdkV1>>;

/** What a client does with the server: a list, a call, a question of the server, progress, and an error. */
async function work({ client, call, requests }: Connected) {
  const { tools } = await client.listTools();
  const echo = await call('echo', { message: 'hi' });
  const elicited = tools.some(({ name }) => name === 'trigger-elicitation-request')
    ? await call('trigger-elicitation-request')
    : undefined;
  const progress: unknown[] = [];
  const long = await call(
    'trigger-long-running-operation',
    { duration: 0.02, steps: 2 },
    {
      onprogress: state => progress.push(state),
    },
  );
  const refused = await call('echo', { message: 5 }).catch((error: Error) => ({ message: error.message }));
  await client.close();
  // The server lists the roots after some time, perhaps after the client has closed the connection.
  const questions = requests.filter(question => question !== 'roots');
  return { tools: tools.length, echo, elicited, long, refused, progress, questions };
}

describe('tenon record and tenon replay', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  beforeAll(async () => {
    await buildCommand();
    project = await projectWith({});
  });
  afterAll(() => project.remove());
  const command = (...args: string[]) => commandLine(project.folder, ...args).args;

  it('refuses an empty name', async () => {
    const args = ['record', '--name', '', '-o', 'empty.ndjson', '--', process.execPath, '--version'];
    const { code, err } = await runTenon(project.folder, args);
    expect([code, err]).toEqual([2, expect.stringContaining('--name is empty')]);
  });

  it.runIf(isFull)(
    'records an official server for the official client of version 1, and replays it [cli.record] [cli.replay]',
    async () => {
      const file = project.path('stdio.ndjson');
      const recorded = await work(await connectSdkV1({ args: command('record', '-o', file, '--', ...EVERYTHING) }));
      expect(recorded).toMatchObject({
        echo: { content: [{ text: 'Echo: hi' }] },
        questions: [expect.stringMatching(/^form /)],
      });
      expect((await stat(file)).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600);
      // The client drops a progress notification that it reads in one chunk with the response.
      let received = 0;
      const replayed = await repeatAfterPause(
        async () => {
          const result = await work(await connectSdkV1({ args: command('replay', file) }));
          received = result.progress.length;
          return result;
        },
        () => received === 2,
      );
      expect({ ...replayed, progress: [] }).toEqual({ ...recorded, progress: [] });
      expect(replayed.progress).toEqual([
        { progress: 1, total: 2 },
        { progress: 2, total: 2 },
      ]);
      const against = await runTenon(project.folder, ['replay', file, '--json', '--', ...EVERYTHING]);
      expect(JSON.parse(against.out)).toMatchObject({ ok: true, differences: [] });
      expect(against).toMatchObject({ code: 0, err: '' });
    },
  );

  it.runIf(isFull)(
    'records and replays over HTTP, for the official client of version 2 [cli.record] [cli.replay]',
    async () => {
      const file = project.path('http.ndjson');
      const recorder = await serving(project.folder, [
        'record',
        '--port',
        '0',
        '--json',
        '-o',
        file,
        '--',
        ...EVERYTHING,
      ]);
      const recorded = await work(await connectSdkV2({ url: recorder.url }));
      expect(await recorder.end()).toBe(0);
      const server = await serving(project.folder, ['replay', file, '--port', '0', '--json']);
      expect(await work(await connectSdkV2({ url: server.url }))).toEqual(recorded);
      expect(await server.end()).toBe(0);
      expect(server.errors()).toBe('');
    },
  );

  it('records stateless requests to a URL, and reports different responses [cli.replay] [cli.revision]', async () => {
    const kitchen = await serveKitchen();
    const run = (...args: string[]) => runTenon(project.folder, args);
    const call = ['call', kitchen.url, 'echo', 'message=hi'];
    const printed = await runTenon(project.folder, [...call, '--wire', 'call.ndjson', '-v']);
    expect(printed).toMatchObject({ code: 0, out: 'hi\n' });
    expect(printed.err).toContain('→ tools/call #');
    const text = await readFile(project.path('call.ndjson'), 'utf8');
    expect(text).toContain('"dir":"send"');
    const asJson = await runTenon(project.folder, [...call, '-v', '--json']);
    expect(JSON.parse(asJson.err.split('\n')[0] ?? '')).toEqual({
      level: 'debug',
      message: expect.stringMatching(/^→ /),
    });
    expect((await runTenon(project.folder, ['replay', 'call.ndjson', '--against', kitchen.url])).code).toBe(0);
    const withFault = text
      .split('\n')
      .map(line =>
        line.includes('"tools/call"') ? line.replace(/(?="dir":)/, '"fault":{"kind":"delay","ms":5},') : line,
      )
      .join('\n');
    await project.write('fault.ndjson', withFault);
    const replayed = await run('replay', 'fault.ndjson', '--against', kitchen.url);
    expect(replayed).toMatchObject({
      code: 0,
      err: expect.stringContaining('fault.ndjson: the recording has 1 message with an injected fault (1 delay). '),
    });
    await project.write('other.ndjson', text.replace('"text":"hi"', '"text":"ho"'));
    const other = await run('replay', 'other.ndjson', '--against', kitchen.url, '--junit', 'report.xml');
    expect(other).toMatchObject({
      code: 1,
      out: expect.stringContaining('/content/0/text: recorded "ho", received "hi"'),
    });
    expect(await readFile(project.path('report.xml'), 'utf8')).toContain('failures="1"');
    await kitchen.close();
    // A recording is a target of its own, without the server.
    expect(await run('call', 'call.ndjson', 'echo', 'message=hi')).toMatchObject({ code: 0, out: 'hi\n' });
    expect(await run('call', 'call.ndjson', 'echo', 'message=ho', '--json')).toMatchObject({ code: 1, out: '' });
  });

  it('serves a mock of a list of tools, with faults, and decides about recorded calls [cli.mock] [cli.explain]', async () => {
    const tools = [
      {
        name: 'price',
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object', properties: { euros: { type: 'integer' } }, required: ['euros'] },
      },
      { name: 'slow', inputSchema: { type: 'object' } },
    ];
    await project.write('list.json', { server: { name: 'shop', version: '1' }, tools });
    const faults = ['--fault', 'tools/call:slow=close'];
    const mock = await serving(project.folder, ['mock', 'list.json', '--port', '0', '--json', ...faults]);
    const run = (...args: string[]) => runTenon(project.folder, args);
    const wire = ['--wire', 'mock.ndjson'];
    const called = await runTenon(project.folder, ['call', mock.url, 'price', '--json', ...wire]);
    expect(JSON.parse(called.out)).toMatchObject({
      structuredContent: { euros: expect.any(Number) },
    });
    expect((await run('call', mock.url, 'slow')).code).not.toBe(0);
    expect(await mock.end()).toBe(0);
    await project.write('policy.json', { rules: [{ deny: '*/price' }] });
    const decided = await run('gateway', '--dry-run', 'mock.ndjson', '--policy', 'policy.json', '--json');
    expect(JSON.parse(decided.out)).toMatchObject({
      calls: [{ name: 'price', action: 'deny', rule: 1 }],
      counts: { deny: 1 },
    });
    expect(decided).toMatchObject({ code: 0, err: '' });
  });
});
