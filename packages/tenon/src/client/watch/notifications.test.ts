import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { CallPipeline } from '../calls/call-pipeline.js';
import { handleNotification } from './notifications.js';

function start() {
  const caller = new CallPipeline(
    { kind: 'memory', open: () => Promise.reject(new Error('no road')) },
    { clock: fakeClock() },
  );
  const notifications: unknown[] = [];
  for (const event of ['change', 'log', 'elicitationComplete', 'error', 'notification'] as const) {
    caller.emitter.on(event, value => notifications.push([event, 'code' in value ? value.code : value]));
  }
  for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'] as const) {
    caller.cache.set(method, {}, { ttlMs: 10 });
  }
  caller.cache.set('resources/read', { uri: 'a' }, { ttlMs: 10 });
  const getStored = () =>
    (['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'] as const)
      .filter(method => caller.cache.get(method, {}))
      .concat(caller.cache.get('resources/read', { uri: 'a' }) ? ['resources/read' as never] : []);
  return { caller, notifications, getStored };
}

describe('handleNotification', () => {
  it.each([
    ['notifications/tools/list_changed', {}, ['change', { list: 'tools' }], ['tools/list']],
    ['notifications/prompts/list_changed', {}, ['change', { list: 'prompts' }], ['prompts/list']],
    [
      'notifications/resources/list_changed',
      {},
      ['change', { list: 'resources' }],
      ['resources/list', 'resources/templates/list'],
    ],
    ['notifications/resources/updated', { uri: 'a' }, ['change', { uri: 'a' }], ['resources/read']],
    ['notifications/resources/updated', { uri: 'b' }, ['change', { uri: 'b' }], []],
    [
      'notifications/message',
      { level: 'error', data: 1, logger: 'l' },
      ['log', { level: 'error', data: 1, logger: 'l' }],
      [],
    ],
    ['notifications/elicitation/complete', { elicitationId: 'e' }, ['elicitationComplete', { elicitationId: 'e' }], []],
    ['com.example/note', { a: 1 }, ['notification', { method: 'com.example/note', params: { a: 1 } }], []],
  ])(
    'emits %s %j, and deletes stale cache entries [elicitation.complete.unknown-ignored]',
    (method, params, event, stale) => {
      const { caller, notifications, getStored } = start();
      const before = getStored();
      handleNotification(caller, method, params);
      expect(notifications).toEqual([event]);
      expect(getStored()).toEqual(before.filter(each => !(stale as string[]).includes(each)));
    },
  );

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'emits a method named %s like any other',
    method => {
      const { caller, notifications, getStored } = start();
      handleNotification(caller, method, {});
      expect(notifications).toEqual([['notification', { method, params: {} }]]);
      expect(getStored()).toHaveLength(5);
    },
  );

  it('reports a malformed notification, and keeps the cache', () => {
    const { caller, notifications, getStored } = start();
    handleNotification(caller, 'notifications/resources/updated', { uri: 5 });
    handleNotification(caller, 'notifications/message', { level: 'loud', data: 1 });
    expect(notifications).toEqual([
      ['error', 'peer/malformed'],
      ['error', 'peer/malformed'],
    ]);
    expect(getStored()).toHaveLength(5);
  });
});
