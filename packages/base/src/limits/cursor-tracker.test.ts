import { describe, expect, it } from 'vitest';
import { CursorTracker } from './cursor-tracker.js';

describe('CursorTracker', () => {
  it('returns the cursor of the next page until a page has none', () => {
    const cursors = new CursorTracker('tools/list');
    expect(cursors.next({ nextCursor: 'a' })).toBe('a');
    expect(cursors.next({ nextCursor: '' })).toBe('');
    expect(cursors.next({})).toBeUndefined();
    expect(cursors.next({ nextCursor: null })).toBeUndefined();
  });

  it('refuses a cursor that was already returned, also after others', () => {
    const cursors = new CursorTracker('skills/list');
    cursors.next({ nextCursor: 'a' });
    cursors.next({ nextCursor: 'b' });
    expect(() => cursors.next({ nextCursor: 'a' }, 'notes')).toThrow(
      expect.objectContaining({ code: 'peer/endless-list', peer: 'notes' }),
    );
  });

  it('accepts known cursors after a restart', () => {
    const cursors = new CursorTracker('tools/list');
    cursors.next({ nextCursor: 'a' });
    cursors.restart();
    expect(cursors.next({ nextCursor: 'a' })).toBe('a');
  });

  it('refuses more than 10,000 pages, restarts included', () => {
    const cursors = new CursorTracker('tools/list');
    const readPage = (page: number) => cursors.next({ nextCursor: `page ${page}` });
    for (let page = 1; page < 10_000; page++) readPage(page);
    cursors.restart();
    expect(() => readPage(1)).toThrow('tools/list returned more than 10000 pages');
  });
});
