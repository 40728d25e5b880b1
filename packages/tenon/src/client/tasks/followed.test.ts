import { expect, it } from 'vitest';
import { newest } from '../../dialects/index.js';
import { fakeClock } from '../../testing/clock.js';
import type { Caller } from '../caller.js';
import { Emitter } from '../emitter.js';
import { content, task } from './fixtures/scripted.js';
import { followed } from './followed.js';

it('hears what the server tells of a task before what follows it is loaded', async () => {
  const clock = fakeClock();
  const link = { peer: 'server', dialect: newest() };
  const caller = {
    emitter: new Emitter(),
    clock,
    patience: clock,
    lifeline: { last: link, state: 'open' },
    options: {},
    toolbox: { get: () => undefined },
  } as unknown as Caller;
  const result = followed(caller, task('working'), {}).wait({});
  const params = task('completed', { result: content('done') });
  caller.emitter.emit('notification', { method: 'notifications/tasks', params });
  expect(await result).toEqual(content('done'));
});
