import { describe, expect, it } from 'vitest';
import { Elicitations } from './elicitations.js';

function visitor(callerKey = 'someone') {
  const told: string[] = [];
  return { told, callerKey, visited: (id: string) => void told.push(id) };
}

describe('elicitations by URL', () => {
  it('tell who was asked, once, and nobody else', () => {
    const [ada, bob] = [visitor(), visitor()];
    const open = new Elicitations();
    open.asked('a', ada);
    open.asked('b', bob);
    expect(open.done('a')).toBe(true);
    expect([ada.told, bob.told]).toEqual([['a'], []]);
    expect(open.done('a')).toBe(false);
    expect([ada.told, bob.told]).toEqual([['a'], []]);
  });

  it('tell nobody of what was never asked', () => {
    expect(new Elicitations().done('a')).toBe(false);
  });

  it('tell who was asked last, where two were asked the same', () => {
    const [ada, bob] = [visitor(), visitor()];
    const open = new Elicitations();
    open.asked('a', ada);
    open.asked('a', bob);
    open.forget(ada);
    expect(open.done('a')).toBe(true);
    expect([ada.told, bob.told]).toEqual([[], ['a']]);
  });

  it('forget who has left', () => {
    const [ada, bob] = [visitor(), visitor()];
    const open = new Elicitations();
    for (const id of ['a', 'b']) open.asked(id, ada);
    open.asked('c', bob);
    open.forget(ada);
    expect(['a', 'b', 'c'].map(id => open.done(id))).toEqual([false, false, true]);
    expect(ada.told).toEqual([]);
  });

  it('forget the oldest when there are too many; to be asked again makes one young', () => {
    const ada = visitor();
    const open = new Elicitations();
    for (let id = 0; id < 10_000; id++) open.asked(String(id), ada);
    open.asked('0', ada);
    open.asked('one more', ada);
    expect([open.done('1'), open.done('0'), open.done('2'), open.done('one more')]).toEqual([false, true, true, true]);
  });

  it('are remembered for callers with few of them while one caller has many', () => {
    const [ada, eve] = [visitor('ada'), visitor('eve')];
    const open = new Elicitations();
    open.asked('a', ada);
    for (let n = 0; n < 10_000; n += 1) open.asked(`e${n}`, eve);
    expect(open.done('a')).toBe(true);
    expect(open.done('e0')).toBe(false);
  });
});
