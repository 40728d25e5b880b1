import { describe, expect, it } from 'vitest';
import { PendingElicitations } from './pending-elicitations.js';

function createListener(callerKey = 'someone') {
  const notifications: string[] = [];
  return { notifications, callerKey, onElicitationComplete: (id: string) => void notifications.push(id) };
}

describe('PendingElicitations', () => {
  it('notifies only the client that got the elicitation, once', () => {
    const [ada, bob] = [createListener(), createListener()];
    const open = new PendingElicitations();
    open.add('a', ada);
    open.add('b', bob);
    expect(open.complete('a')).toBe(true);
    expect([ada.notifications, bob.notifications]).toEqual([['a'], []]);
    expect(open.complete('a')).toBe(false);
    expect([ada.notifications, bob.notifications]).toEqual([['a'], []]);
  });

  it('notifies no client of an elicitation that was never sent', () => {
    expect(new PendingElicitations().complete('a')).toBe(false);
  });

  it('notifies the client that got the elicitation last', () => {
    const [ada, bob] = [createListener(), createListener()];
    const open = new PendingElicitations();
    open.add('a', ada);
    open.add('a', bob);
    open.remove(ada);
    expect(open.complete('a')).toBe(true);
    expect([ada.notifications, bob.notifications]).toEqual([[], ['a']]);
  });

  it('forgets clients that disconnect', () => {
    const [ada, bob] = [createListener(), createListener()];
    const open = new PendingElicitations();
    for (const id of ['a', 'b']) open.add(id, ada);
    open.add('c', bob);
    open.remove(ada);
    expect(['a', 'b', 'c'].map(id => open.complete(id))).toEqual([false, false, true]);
    expect(ada.notifications).toEqual([]);
  });

  it('drops the oldest beyond the limit; sending one again makes it the newest', () => {
    const ada = createListener();
    const open = new PendingElicitations();
    for (let id = 0; id < 10_000; id++) open.add(String(id), ada);
    open.add('0', ada);
    open.add('one more', ada);
    expect([open.complete('1'), open.complete('0'), open.complete('2'), open.complete('one more')]).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });

  it('keeps the elicitations of callers with few of them while one caller has many', () => {
    const [ada, eve] = [createListener('ada'), createListener('eve')];
    const open = new PendingElicitations();
    open.add('a', ada);
    for (let n = 0; n < 10_000; n += 1) open.add(`e${n}`, eve);
    expect(open.complete('a')).toBe(true);
    expect(open.complete('e0')).toBe(false);
  });
});
