import type { ServerState } from '@tenon/host';
import { expect, it } from 'vitest';
import { createScreen } from '../screen.js';
import { createStateListener } from './report-state-changes.js';

const toState = (state: ServerState['state'], reason?: string): ServerState => ({
  name: 'notes',
  state,
  reason,
  protocolVersion: undefined,
  serverInfo: undefined,
});

function listen(json: boolean) {
  const texts: string[] = [];
  const output = { write: (text: string | Uint8Array) => texts.push(String(text)) };
  const screen = createScreen(output, output, { now: () => 0 });
  screen.startLog({ json });
  return { texts, listener: createStateListener({ screen }, { json }) };
}

it('writes one line for each change between states that can take calls and those that cannot', () => {
  const { texts, listener } = listen(false);
  for (const state of ['connecting', 'connected', 'reconnecting', 'connected'] as const) listener(toState(state));
  listener(toState('failed', 'cannot be\nreached'));
  listener(toState('failed', 'still not'));
  listener(toState('connecting'));
  listener(toState('connected'));
  expect(texts).toEqual([
    '1970-01-01T00:00:00.000Z warning server notes: failed: cannot be reached\n',
    '1970-01-01T00:00:00.000Z info server notes: connected\n',
  ]);
});

it('writes no line for a failed server that asks for a sign-in, and fails again, with each call', () => {
  const { texts, listener } = listen(false);
  for (const state of ['failed', 'connecting', 'waiting', 'failed', 'waiting', 'failed', 'waiting'] as const)
    listener(toState(state, 'nobody signs in'));
  expect(texts).toEqual([]);
  listener(toState('connected'));
  expect(texts).toHaveLength(1);
});

it('prints the changes as events with a level', () => {
  const { texts, listener } = listen(true);
  listener(toState('connected'));
  listener(toState('waiting', 'the server requires the user to sign in'));
  expect(texts.map(text => JSON.parse(text))).toEqual([
    {
      time: '1970-01-01T00:00:00.000Z',
      level: 'info',
      event: 'server',
      name: 'notes',
      state: 'waiting',
      reason: 'the server requires the user to sign in',
    },
  ]);
});
