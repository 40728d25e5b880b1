import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { parseLines, recordSession, TIME } from './fixtures/record-session.js';
import { parseRecording } from './parse-recording.js';
import { createRecorder } from './recorder.js';

const TS = '2030-01-01T00:00:00.000Z';

it('writes each message in one line with the direction, the server and the time [cli.record]', async () => {
  const text = await recordSession(client => client.callTool('count'), { protocolVersion: '2025-06-18' });
  const lines = parseLines(text);
  expect(lines[0]).toMatchObject({
    jsonrpc: '2.0',
    method: '$transport/start',
    _meta: { dir: 'lifecycle', server: 'notes' },
  });
  expect(lines.at(-1)).toMatchObject({ method: '$transport/close', _meta: { dir: 'lifecycle' } });
  expect(lines[1]).toMatchObject({
    id: 1,
    method: 'initialize',
    _meta: { dir: 'send', server: 'notes', ts: TS, session: 1 },
  });
  expect(lines[2]).toMatchObject({ id: 1, result: { protocolVersion: '2025-06-18' }, _meta: { dir: 'recv' } });
  expect(lines[3]).toMatchObject({ method: 'notifications/initialized', _meta: { dir: 'send' } });
  expect(lines.filter(({ method }) => method === 'tools/call')).toHaveLength(1);
});

it('removes secrets from params, results and errors before it writes them [cli.record]', async () => {
  const token = 'ghp_abcdefghijklmnop1234';
  const text = await recordSession(client =>
    client.callTool('echo', { password: 'hunter22', message: `use ${token}, password: hunter22` }),
  );
  expect(text).not.toContain('hunter22');
  expect(text).not.toContain(token);
  // The name of a secret in a schema is no secret.
  const schema = parseLines(text).flatMap(({ result }) => (result as { tools?: unknown[] } | undefined)?.tools ?? []);
  expect(JSON.stringify(schema)).toContain('"password":{"type":"string"}');
});

it('ends the recording at its maximum size, and notes that in the file', () => {
  const lines: string[] = [];
  let limits = 0;
  const recorder = createRecorder({
    server: 's',
    write: line => lines.push(line),
    maxSize: 300,
    onLimit: () => (limits += 1),
    clock: TIME,
  });
  const session = recorder.openSession();
  for (let id = 0; id < 10; id += 1) session.record('send', { jsonrpc: '2.0', id, method: 'ping' });
  session.close();
  expect(lines.length).toBeLessThan(6);
  expect(parseLines(lines.join('')).at(-1)).toMatchObject({ method: '$transport/limit', params: { maxSize: 300 } });
  expect(limits).toBe(1);
});

it('writes the fault of a message without its secrets, and reads it again', () => {
  const lines: string[] = [];
  const session = createRecorder({ server: 'notes', write: line => lines.push(line) }).openSession();
  const message = { jsonrpc: '2.0', id: 1, result: {} } as const;
  session.record('recv', message, { fault: { kind: 'delay', ms: 20 } });
  const value = { jsonrpc: '2.0', id: 1, result: { token: 'ghp_abcdefghijklmnop1234' } };
  session.record('recv', message, { relatedTo: 1, fault: { kind: 'replace', value } });
  session.record('recv', message);
  const text = lines.join('');
  expect(text).not.toContain('ghp_');
  const later = text.replace('"kind":"delay"', '"kind":"shuffle"');
  expect(parseRecording(text).messages.map(({ fault }) => fault?.kind)).toEqual(['delay', 'replace', undefined]);
  expect(parseRecording(later).messages.map(({ fault }) => fault?.kind)).toEqual([undefined, 'replace', undefined]);
});

const hash = (text: string) => createHash('sha256').update(text).digest('base64url');

it('writes the digest of a signed requestState in place of its value', () => {
  const lines: string[] = [];
  const session = createRecorder({ server: 'notes', write: line => lines.push(line) }).openSession();
  const signed = `eyJhbGciOiJIUzI1NiJ9.eyJzdGVwIjoxfQ.${'s'.repeat(43)}`;
  const encrypted = `eyJhbGciOiJkaXIifQ..${'i'.repeat(16)}.${'c'.repeat(40)}.${'t'.repeat(22)}`;
  const unsigned = 'eyJzdGVwIjoxLCJwYXNzd29yZCI6IjEyMzQifQ';
  const weak = `eyJhbGciOiJub25lIn0.eyJzdGVwIjoxfQ.short`;
  for (const requestState of [signed, encrypted, unsigned, weak, 'step-1'])
    session.record('send', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { requestState } });
  session.record('recv', { jsonrpc: '2.0', id: 1, result: { requestState: signed } });
  const text = lines.join('');
  for (const secret of [signed, encrypted, unsigned, weak]) expect(text).not.toContain(secret);
  const digests = parseRecording(text).messages.map(({ stateDigest }) => stateDigest);
  expect(digests).toEqual([hash(signed), hash(encrypted), undefined, undefined, undefined, hash(signed)]);
});

it('writes the request that a gateway served, and reads it with the number of its connection', () => {
  const lines: string[] = [];
  const record = () => {
    const recorder = createRecorder({ server: 'gateway', write: line => lines.push(line) });
    const session = recorder.openSession();
    const cause = { dir: 'send', server: 'gateway', session: session.number, id: 7 } as const;
    session.record('send', { jsonrpc: '2.0', id: 8, method: 'ping' }, { hop: 'upstream', cause });
  };
  record();
  record();
  const { messages } = parseRecording(lines.join(''));
  expect(messages.map(({ hop, cause }) => [hop, cause?.session, cause?.id])).toEqual([
    ['upstream', 1, 7],
    ['upstream', 2, 7],
  ]);
});
