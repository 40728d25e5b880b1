import { PassThrough } from 'node:stream';
import type { MessageFault } from '@tenon/testing';
import { expect, it } from 'vitest';
import { createScreen } from '../screen.js';
import { noteFaults } from './note-faults.js';

const createMessage = (server: string, fault?: MessageFault) => ({
  line: 1,
  dir: 'send' as const,
  server,
  ts: '',
  session: 1,
  message: { jsonrpc: '2.0' as const, method: 'notifications/initialized' },
  ...(fault ? { fault } : {}),
});

function note(faults: readonly (readonly [server: string, fault?: MessageFault])[], server?: string): string {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const messages = faults.map(each => createMessage(...each));
  noteFaults(
    createScreen(stdout, stderr),
    'bug.ndjson',
    { messages, servers: ['notes', 'mail'], isTruncated: false },
    server,
  );
  return String(stderr.read() ?? '');
}

it('counts the messages with a fault by its kind', () => {
  expect(note([['notes', { kind: 'cut' }], ['notes'], ['notes', { kind: 'cut' }], ['mail', { kind: 'drop' }]])).toMatch(
    'bug.ndjson: the recording has 3 messages with an injected fault (2 cut, 1 drop).',
  );
});

it('counts the messages of the replayed server only', () => {
  const faults = [
    ['notes', { kind: 'cut' }],
    ['mail', { kind: 'drop' }],
  ] as const;
  expect(note(faults, 'mail')).toContain('1 message with an injected fault (1 drop)');
});

it('prints nothing for a recording without faults', () => {
  expect(note([['notes']])).toBe('');
});
