import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { parseRecording } from '@tenon/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exitCodes } from '../exit-codes.js';
import { createScreen } from '../screen.js';
import { createTerminal } from '../terminal.js';
import { readArgumentFile } from '../tools/read-json.js';
import { isRecordingFile } from './is-recording-file.js';
import { openRecordedTarget } from './recorded-target.js';
import { openRecordingFile, readSourceFile } from './recording-file.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-recording-'));
});
afterAll(() => rm(folder, { recursive: true, maxRetries: 10 }));

function createContext() {
  const notes: string[] = [];
  const output = { write: (text: string | Uint8Array) => notes.push(String(text)) };
  const screen = createScreen(output, output);
  const terminal = createTerminal(new PassThrough(), new PassThrough(), screen);
  return {
    notes,
    context: { screen, terminal, env: {}, cwd: folder, code: exitCodes.success },
  };
}

const record = (path: string, options: { append?: boolean; maxSize?: number } = {}) => {
  const { context, notes } = createContext();
  const file = openRecordingFile(context, path, { server: 's', ...options });
  const session = file.recorder.openSession();
  for (let id = 1; id <= 3; id += 1) session.record('send', { jsonrpc: '2.0', id, method: 'ping' });
  session.close();
  file.close();
  return notes;
};
const countLines = async (path: string) => (await readFile(join(folder, path), 'utf8')).trim().split('\n').length;

it('replaces or extends a file, and makes it private [cli.record]', async () => {
  await writeFile(join(folder, 'a.ndjson'), 'former\n', { mode: 0o644 });
  record('a.ndjson');
  expect(await countLines('a.ndjson')).toBe(5);
  record('a.ndjson', { append: true });
  expect(await countLines('a.ndjson')).toBe(10);
  if (process.platform !== 'win32') expect((await stat(join(folder, 'a.ndjson'))).mode & 0o777).toBe(0o600);
});

it('reports once that the recording has its maximum size [cli.record]', async () => {
  expect(record('b.ndjson', { maxSize: 300 })).toEqual([expect.stringContaining('maximum size')]);
  expect(() => record('none/c.ndjson')).toThrow('cannot write none/c.ndjson: ENOENT');
});

it.skipIf(process.platform !== 'linux')('reports a full disk once, and lets the connection go on', async () => {
  const { mode } = await stat('/dev/full');
  expect(record('/dev/full')).toEqual([
    expect.stringContaining('cannot write /dev/full: ENOSPC. Later messages are not recorded'),
  ]);
  expect((await stat('/dev/full')).mode).toBe(mode);
});

it('recognizes a recording by its extension or its first line', async () => {
  record('calls');
  await writeFile(join(folder, 'other'), '{"tools":[]}\n');
  await writeFile(join(folder, 'empty.jsonl'), '');
  const recognized = ['calls', 'other', 'empty.jsonl', 'missing.ndjson', '.'].map(name =>
    isRecordingFile(join(folder, name)),
  );
  expect(recognized).toEqual([true, false, true, false, false]);
});

it('keeps the connections of two processes apart that append to one file [cli.record]', async () => {
  const files = ['a', 'b'].map(() =>
    openRecordingFile(createContext().context, 'shared.jsonl', { server: 's', append: true }),
  );
  const sessions = files.map(({ recorder }) => recorder.openSession());
  for (const [index, session] of sessions.entries())
    session.record('send', { jsonrpc: '2.0', id: index, method: 'ping' });
  for (const file of files) file.close();
  const { messages } = parseRecording(await readFile(join(folder, 'shared.jsonl'), 'utf8'));
  expect(messages.map(({ session, message }) => [session, message])).toEqual([
    [1, { jsonrpc: '2.0', id: 0, method: 'ping' }],
    [2, { jsonrpc: '2.0', id: 1, method: 'ping' }],
  ]);
});

it('overwrites no line of another process that has replaced the file [cli.record]', async () => {
  const [first, second] = ['a', 'b'].map(() =>
    openRecordingFile(createContext().context, 'replaced.jsonl', { server: 's' }),
  );
  first?.recorder.openSession();
  second?.recorder.openSession();
  for (const file of [first, second]) file?.close();
  expect(await countLines('replaced.jsonl')).toBe(2);
});

it('reports once that another process has replaced the recording, and writes nothing into the other one', async () => {
  const [first, second] = [createContext(), createContext()];
  const file = openRecordingFile(first.context, 'taken.ndjson', { server: 'a' });
  const session = file.recorder.openSession();
  const other = openRecordingFile(second.context, 'taken.ndjson', { server: 'b' });
  other.recorder.openSession();
  for (let id = 1; id <= 2; id += 1) session.record('send', { jsonrpc: '2.0', id, method: 'ping' });
  for (const each of [file, other]) each.close();
  expect(first.notes).toEqual([
    expect.stringContaining('replaced or deleted the recording. Pass --append to record both.'),
  ]);
  expect(await readFile(join(folder, 'taken.ndjson'), 'utf8')).toMatch(/^.*"server":"b".*\n$/);
});

it('names a command for one server of a recording with several', async () => {
  for (const server of ['a', 'b']) {
    const file = openRecordingFile(createContext().context, 'two.ndjson', { server, append: true });
    file.recorder.openSession().record('send', { jsonrpc: '2.0', id: 1, method: 'ping' });
    file.close();
  }
  const opened = openRecordedTarget(join(folder, 'two.ndjson'));
  await expect(opened).rejects.toThrow('Write `-- tenon mock FILE --server NAME` in place of the file.');
});

it('reads a file with a byte order mark', async () => {
  await writeFile(join(folder, 'mark.json'), '\ufeff{}');
  expect(await readSourceFile({ cwd: folder }, 'mark.json')).toBe('{}');
  expect(await readArgumentFile(join(folder, 'mark.json'), '--args')).toBe('{}');
});

it('refuses an argument file that is not UTF-8, and reads a recording that ends in the middle of a character', async () => {
  await writeFile(join(folder, 'cut.ndjson'), Buffer.from('{}\n"\u00e9').subarray(0, -1));
  await expect(readArgumentFile(join(folder, 'cut.ndjson'), 'argument "text"')).rejects.toThrow('not UTF-8. Pass');
  expect(await readSourceFile({ cwd: folder }, 'cut.ndjson')).toBe('{}\n"\ufffd');
});
