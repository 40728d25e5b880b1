import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { audienceNamed, sessionNamed } from '../connections/fixtures/stand-in.js';
import { ListChangeNotifier } from './list-change-notifier.js';

const ada = audienceNamed('ada');
const bob = audienceNamed('bob');

function newsFor(...lists: ('tools' | 'prompts' | 'resources')[]) {
  const clock = fakeClock(1000);
  const news = new ListChangeNotifier(clock);
  const notifications: string[] = [];
  const end = news.addListener(ada, new Set(lists), method => notifications.push(method));
  return { clock, news, notifications, end };
}

describe('ListChangeNotifier', () => {
  it('notifies the listeners of the scope and the list', () => {
    const { clock, news, notifications } = newsFor('tools');
    news.notify(bob, 'tools');
    news.notify(ada, 'prompts');
    clock.advance(10_000);
    expect(notifications).toEqual([]);
    news.notify(ada, 'tools');
    clock.advance(10_000);
    expect(notifications).toEqual(['notifications/tools/list_changed']);
  });

  it('merges many changes: at the beginning, at an interval, and once after the end', () => {
    const { clock, news, notifications } = newsFor('tools');
    for (let at = 0; at < 1000; at++) {
      news.notify(ada, 'tools');
      clock.advance(1);
    }
    expect(notifications.length).toBeGreaterThanOrEqual(3);
    expect(notifications.length).toBeLessThanOrEqual(5);
    const before = notifications.length;
    clock.advance(10_000);
    expect(notifications.length).toBe(before + 1);
    clock.advance(10_000);
    expect(notifications.length).toBe(before + 1);
    expect(clock.timers).toBe(0);
  });

  it('notifies after a long pause as soon as the first time', () => {
    const { clock, news, notifications } = newsFor('tools');
    for (let time = 1; time <= 3; time++) {
      news.notify(ada, 'tools');
      clock.advance(99);
      expect(notifications).toHaveLength(time - 1);
      clock.advance(1);
      expect(notifications).toHaveLength(time);
      clock.advance(5000);
    }
  });

  it('ends with the listener, and when closed', () => {
    const { clock, news, notifications, end } = newsFor('tools');
    news.notify(ada, 'tools');
    end();
    clock.advance(1000);
    news.addListener(ada, new Set(['tools']), method => notifications.push(method));
    news.notify(ada, 'tools');
    news.close();
    clock.advance(1000);
    expect(notifications).toEqual([]);
  });

  it('notifies a session once while it exists, however often it is observed', () => {
    const { clock, news } = newsFor();
    const { session, notifications, end } = sessionNamed('mine');
    const own = audienceNamed('mine', { session });
    news.observeSession(session, own);
    news.observeSession(session, own);
    news.notifyAll('prompts');
    clock.advance(1000);
    expect(notifications).toEqual([{ method: 'notifications/prompts/list_changed', params: {} }]);
    end();
    news.notify(own, 'prompts');
    clock.advance(1000);
    expect(notifications).toHaveLength(1);
  });
});
