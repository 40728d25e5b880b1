import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type ProcessFamily, watchNpx } from './npx-end.js';

const SHELL = 20;
const NPM = 10;
const startedByNpx = { npm_lifecycle_event: 'npx', npm_lifecycle_script: "'tenon' gateway" };

let parent = SHELL;
let parentOfShell = NPM;
const createFamily = (env: ProcessFamily['env'] = startedByNpx): ProcessFamily => ({
  env,
  getParent: () => parent,
  describe: pid => (pid === SHELL ? { name: 'sh', parent: parentOfShell } : { name: 'init', parent: 0 }),
});

beforeEach(() => {
  vi.useFakeTimers();
  [parent, parentOfShell] = [SHELL, NPM];
});
afterEach(() => {
  vi.useRealTimers();
});

it.each([
  ['the shell of npx', () => (parent = 1)],
  ['npx alone', () => (parentOfShell = 1)],
])('reports the end of %s, once', (_, end) => {
  const onEnd = vi.fn();
  watchNpx(onEnd, createFamily());
  vi.advanceTimersByTime(10_000);
  expect(onEnd).not.toHaveBeenCalled();
  end();
  vi.advanceTimersByTime(10_000);
  expect(onEnd).toHaveBeenCalledTimes(1);
});

it.each([
  ['a command that a shell started', {}],
  [
    'a command in a script of npm, which may leave it running',
    { npm_lifecycle_event: 'start', npm_lifecycle_script: 'tenon gateway' },
  ],
  ['a command that a program of npx started', { npm_lifecycle_event: 'npx', npm_lifecycle_script: "'pm2' start" }],
])('ignores the parent of %s', (_, env) => {
  const onEnd = vi.fn();
  watchNpx(onEnd, createFamily(env));
  parent = 1;
  vi.advanceTimersByTime(10_000);
  expect(onEnd).not.toHaveBeenCalled();
});

it('stops looking on request', () => {
  const onEnd = vi.fn();
  const stop = watchNpx(onEnd, createFamily());
  stop();
  parent = 1;
  vi.advanceTimersByTime(10_000);
  expect(onEnd).not.toHaveBeenCalled();
});
