import type { TenonError } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { type Subscriber, SubscriptionManager } from './subscription-manager.js';

function start(subscribe: (uri: string) => (() => void) | undefined = () => undefined) {
  const errors: TenonError[] = [];
  const watchers = new SubscriptionManager(subscribe, error => errors.push(error));
  const watcher = (principal = 'x', lists = ['tools']) => {
    const notifications: unknown[] = [];
    const each: Subscriber & { notifications: unknown[] } = {
      notifications,
      caller: { client: undefined, capabilities: {}, auth: { principal } },
      wants: list => lists.includes(list),
      deliver: (method, params) => notifications.push([method, params]),
    };
    watchers.add(each);
    return each;
  };
  return { errors, watchers, watcher };
}

describe('SubscriptionManager', () => {
  it('notifies subscribers of the URIs that they watch and no others [subscriptions.resource-uris-only resources.unsubscribe.stops-updates]', () => {
    const { watchers, watcher } = start();
    const [one, two] = [watcher(), watcher()];
    watchers.subscribe(one, 'a:1');
    watchers.subscribe(two, 'a:1');
    watchers.notifyResourceUpdated('a:1');
    watchers.notifyResourceUpdated('a:2');
    watchers.unsubscribe(two, 'a:1');
    watchers.notifyResourceUpdated('a:1');
    expect(one.notifications).toEqual([
      ['notifications/resources/updated', { uri: 'a:1' }],
      ['notifications/resources/updated', { uri: 'a:1' }],
    ]);
    expect(two.notifications).toHaveLength(1);
  });

  it('notifies of requested lists when a changed entry is visible to the subscriber [subscriptions.only-requested-types]', () => {
    const { watchers, watcher } = start();
    const [ann, bob, deaf] = [watcher('ann'), watcher('bob'), watcher('ann', [])];
    watchers.notifyListChanged('tools', [{ visible: ({ auth }) => auth?.principal === 'ann' }]);
    expect([ann.notifications, bob.notifications, deaf.notifications].map(({ length }) => length)).toEqual([1, 0, 0]);
  });

  it('calls the hook once for each URI, and ends it with the last subscriber', () => {
    const log: string[] = [];
    const { watchers, watcher } = start(uri => {
      log.push(`+${uri}`);
      return () => log.push(`-${uri}`);
    });
    const [one, two] = [watcher(), watcher()];
    watchers.subscribe(one, 'a');
    watchers.subscribe(one, 'a');
    watchers.subscribe(two, 'a');
    watchers.subscribe(two, 'b');
    watchers.unsubscribe(one, 'a');
    watchers.unsubscribe(one, 'a');
    watchers.remove(two, ['a', 'b', 'c']);
    watchers.notifyResourceUpdated('a');
    watchers.subscribe(one, 'a');
    expect(log).toEqual(['+a', '+b', '-a', '-b', '+a']);
    expect(two.notifications).toEqual([]);
  });

  it('survives a hook or a rule that throws', () => {
    const { watchers, watcher, errors } = start(uri => {
      if (uri === 'begins') throw new Error('begins');
      return () => {
        throw new Error('ends');
      };
    });
    const [one, two] = [watcher(), watcher('bob')];
    for (const uri of ['begins', 'a', 'b']) watchers.subscribe(one, uri);
    watchers.notifyResourceUpdated('begins');
    expect(one.notifications).toHaveLength(1);
    watchers.notifyListChanged('tools', [
      {
        visible: ({ auth }) => {
          if (auth?.principal === 'x') throw new Error('rule');
          return true;
        },
      },
    ]);
    expect(two.notifications).toHaveLength(1);
    watchers.remove(one, ['begins', 'a', 'b']);
    expect(errors.map(({ message }) => message)).toEqual(['begins', 'rule', 'ends', 'ends']);
  });
});
