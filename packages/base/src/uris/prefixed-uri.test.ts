import { describe, expect, it } from 'vitest';
import { addUriPrefix, removeUriPrefix } from './prefixed-uri.js';

describe('addUriPrefix() and removeUriPrefix()', () => {
  it.each([
    ['note://today', 'note://notes/today'],
    ['note://{title}', 'note://notes/{title}'],
    ['ui://view.html', 'ui://notes/view.html'],
    ['file:///home/a', 'file://notes//home/a'],
    ['https://[::1]/x', 'tenon:notes;ip/https://%5B::1%5D/x'],
    ['urn:isbn:1', 'tenon:notes/urn:isbn:1'],
    ['{+uri}', 'tenon:notes/{+uri}'],
  ])('maps %s to %s, and back', (uri, prefixed) => {
    expect(addUriPrefix('notes', uri)).toBe(prefixed);
    expect(removeUriPrefix('notes', prefixed)).toBe(uri);
  });

  it.each(['note://other/today', 'note://notes', 'urn:isbn:1', 'tenon:other/urn:isbn:1', 'note://notesx/today'])(
    'finds no prefix in %s',
    uri => expect(removeUriPrefix('notes', uri)).toBeUndefined(),
  );
});
