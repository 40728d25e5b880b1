import { TenonError } from 'tenon';
import { expect, it } from 'vitest';
import { createStubContext } from './host/fixtures/stub-context.js';
import { reportFailure } from './report-failure.js';
import { createScreen } from './screen.js';

it('keeps the code and the data of a JSON-RPC error, and the status of a response', () => {
  const { context, notes } = createStubContext('/work', () => undefined);
  const data = { uri: 'x://y', field: ['a'] };
  const error = new TenonError('peer/error', 'Resource not found', { rpcCode: -32002, data, status: 404 });
  const exit = reportFailure(error, { json: true, verbose: false }, context.screen);
  expect(JSON.parse(notes[0] ?? '')).toEqual({
    code: 'peer/error',
    cause: 'Resource not found',
    fix: expect.any(String),
    exit,
    rpcCode: -32002,
    data,
    status: 404,
  });
});

it('logs an error of a running server at the level error', () => {
  let written = '';
  const errors = { write: (text: string | Uint8Array) => (written += String(text)) };
  const screen = createScreen({ write: () => true }, errors, { now: () => 0 });
  screen.startLog({ json: false });
  reportFailure(new TenonError('cli/x', 'broken', { hint: 'fix it' }), { json: false, verbose: false }, screen);
  expect(written).toBe('1970-01-01T00:00:00.000Z error tenon: broken. Fix it.\n');
});

it('omits absent members of an error', () => {
  const { context, notes } = createStubContext('/work', () => undefined);
  reportFailure(new TenonError('cli/x', 'broken', { hint: 'fix it' }), { json: true, verbose: false }, context.screen);
  expect(JSON.parse(notes[0] ?? '')).toEqual({ code: 'cli/x', cause: 'broken', fix: 'fix it', exit: 1 });
});

it('masks secrets in the data of a JSON-RPC error, and keeps the rest', () => {
  const { context, notes } = createStubContext('/work', () => undefined);
  const token = `ghp_${'a1B2c3D4e5'.repeat(4)}`.slice(0, 40);
  const data = { uri: 'x://y', count: 3, headers: { authorization: 'Bearer abc' }, texts: [`used ${token}`] };
  const error = new TenonError('peer/error', 'failed', { rpcCode: -32000, data });
  reportFailure(error, { json: true, verbose: false }, context.screen);
  expect(notes[0]).not.toMatch(/Bearer abc|ghp_/);
  expect(JSON.parse(notes[0] ?? '').data).toMatchObject({ uri: 'x://y', count: 3 });
});

it('prints the code and the data of a JSON-RPC error as text, without secrets, and long data in part', () => {
  const print = (data: unknown) => {
    const { context, notes } = createStubContext('/work', () => undefined);
    const error = new TenonError('peer/error', 'Not found', { rpcCode: -32002, data });
    reportFailure(error, { json: false, verbose: false }, context.screen);
    return notes;
  };
  expect(print({ uri: 'x://y' })).toEqual([
    expect.stringMatching(/^tenon: Not found\. /),
    'JSON-RPC error -32002, data: {"uri":"x://y"}',
  ]);
  expect(print(undefined)[1]).toBe('JSON-RPC error -32002');
  expect(print({ authorization: 'Bearer abc' })[1]).not.toContain('Bearer abc');
  const [, long = ''] = print({ text: 'x'.repeat(5_000) });
  expect(long).toHaveLength('JSON-RPC error -32002, data: … (5011 characters, all with --json)'.length + 1_000);
});

it('prints no JSON-RPC error that the server has not sent', () => {
  const { context, notes } = createStubContext('/work', () => undefined);
  const error = new TenonError('stdio/exited', 'gone', { rpcCode: -32000 });
  reportFailure(error, { json: false, verbose: false }, context.screen);
  expect(notes).toHaveLength(1);
});
