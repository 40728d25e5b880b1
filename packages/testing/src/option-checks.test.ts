import { createServer } from 'tenon';
import { expect, it } from 'vitest';
import { fakeClock } from './fake-clock.js';
import { delay, withFaults } from './faults.js';
import { checkHandlerEquivalence } from './handler-equivalence.js';
import { createMockServer } from './recording/mock/mock-server.js';
import { withServerFaults } from './recording/mock/server-faults.js';
import { createRecordingProxy } from './recording/proxy/recording-proxy.js';
import { createRecorder } from './recording/recorder.js';
import { replayToServer } from './recording/replay/replay-client.js';
import { createReplayServer } from './recording/replay/replay-server.js';

const server = createServer({ name: 's', version: '1' });
const transport = { open: () => {} };
const write = () => {};

/** Functions of the package with an argument of the wrong type, as programs in JavaScript pass it. */
const functions: Readonly<Record<string, (value: never) => unknown>> = {
  delay,
  fakeClock,
  withFaults: value => withFaults(transport as never, value),
  withServerFaults: value => withServerFaults(server, value),
  createMockServer: value => createMockServer('{}', value),
  createReplayServer: value => createReplayServer('', value),
  replayToServer: value => replayToServer('', write as never, value),
  createRecorder,
  createRecordingProxy,
  checkHandlerEquivalence: value => checkHandlerEquivalence({ run: () => 'x' } as never, value),
};

it.each<[name: string, value: unknown, place: string]>([
  ['delay', Number.NaN, '`ms`'],
  ['delay', -1, '`ms`'],
  ['delay', Number.POSITIVE_INFINITY, '`ms`'],
  ['fakeClock', Number.NaN, '`start`'],
  ['withFaults', { send: 'drop' }, '`send`'],
  ['withFaults', { clock: {} }, '`clock/now`'],
  ['withServerFaults', { delay: Number.NaN }, '`delay`'],
  ['withServerFaults', { failRate: 2 }, '`failRate`'],
  ['withServerFaults', { faults: { 'tools/call': 'err' } }, '`faults/tools/call`'],
  ['withServerFaults', { faults: { nope: 'error' } }, '`faults/nope`. Expected a method, such as tools/call, got nope'],
  [
    'withServerFaults',
    { faults: { 'tool/call:x': 'error' } },
    '`faults/tool/call:x`. Expected tools/call, got tool/call',
  ],
  ['withServerFaults', { seed: Number.NaN }, '`seed`'],
  ['createMockServer', { unrecorded: 'fail' }, '`unrecorded`'],
  ['createReplayServer', { mode: 'loose' }, '`mode`'],
  ['replayToServer', { ignore: '/a' }, '`ignore`'],
  ['replayToServer', { timeout: Number.NaN }, '`timeout`'],
  ['createRecorder', { server: 's' }, '`write`'],
  ['createRecorder', { server: 's', write, maxSize: Number.NaN }, '`maxSize`'],
  ['createRecordingProxy', { openUpstream: write }, '`recorder`'],
  ['checkHandlerEquivalence', { effects: [] }, '`effects`'],
])('%s refuses %j, and names the value', async (name, value, place) => {
  await expect(async () => functions[name]?.(value as never)).rejects.toMatchObject({
    code: 'options/invalid',
    message: expect.stringContaining(place),
  });
});
