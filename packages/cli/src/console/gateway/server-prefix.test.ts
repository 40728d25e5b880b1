import { expect, it } from 'vitest';
import { addServerPrefix, removeServerPrefix } from './server-prefix.js';

it('removes the prefix that a gateway adds, and no other', () => {
  expect(removeServerPrefix('notes', addServerPrefix('notes', 'write__all'))).toBe('write__all');
  for (const name of ['write', 'notes_write', 'other__write'])
    expect(removeServerPrefix('notes', name)).toBeUndefined();
});
