import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.js';
import { audienceNamed, sessionNamed } from '../connections/fixtures/stand-in.js';
import { ListChangeNotifier } from './list-change-notifier.js';

const ada = audienceNamed('ada');
const bob = audienceNamed('bob');

function newsFor(...lists: ('tools' | 'prompts' | 'resources')[]) {
  const clock = fakeClock(1000);
  const news = new ListChangeNotifier(clock);
  const told: string[] = [];
  const end = news.addListener(ada, new Set(lists), method => told.push(method));
  return { clock, news, told, end };
}

describe('ListChangeNotifier', () => {
  it('notifies the listeners of the scope and the list', () => {
    const { clock, news, told } = newsFor('tools');
    news.notify(bob, 'tools');
    news.notify(ada, 'prompts');
    clock.advance(10_000);
    expect(told).toEqual([]);
    news.notify(ada, 'tools');
    clock.advance(10_000);
    expect(told).toEqual(['notifications/tools/list_changed']);
  });

  it('merges many changes: at the beginning, at an interval, and once after the end', () => {
    const { clock, news, told } = newsFor('tools');
    for (let at = 0; at < 1000; at++) {
      news.notify(ada, 'tools');
      clock.advance(1);
    }
    expect(told.length).toBeGreaterThanOrEqual(3);
    expect(told.length).toBeLessThanOrEqual(5);
    const before = told.length;
    clock.advance(10_000);
    expect(told.length).toBe(before + 1);
    clock.advance(10_000);
    expect(told.length).toBe(before + 1);
    expect(clock.timers).toBe(0);
  });

  it('notifies after a long pause as soon as the first time', () => {
    const { clock, news, told } = newsFor('tools');
    for (let time = 1; time <= 3; time++) {
      news.notify(ada, 'tools');
      clock.advance(99);
      expect(told).toHaveLength(time - 1);
      clock.advance(1);
      expect(told).toHaveLength(time);
      clock.advance(5000);
    }
  });

  it('ends with the listener, and when closed', () => {
    const { clock, news, told, end } = newsFor('tools');
    news.notify(ada, 'tools');
    end();
    clock.advance(1000);
    news.addListener(ada, new Set(['tools']), method => told.push(method));
    news.notify(ada, 'tools');
    news.close();
    clock.advance(1000);
    expect(told).toEqual([]);
  });

  it('notifies a session once while it exists, however often it is observed', () => {
    const { clock, news } = newsFor();
    const { session, told, end } = sessionNamed('mine');
    const mine = audienceNamed('mine', { session });
    news.observeSession(mine);
    news.observeSession(mine);
    news.notifyAll('prompts');
    clock.advance(1000);
    expect(told).toEqual([{ method: 'notifications/prompts/list_changed', params: {} }]);
    end();
    news.notify(mine, 'prompts');
    clock.advance(1000);
    expect(told).toHaveLength(1);
  });
});
