import { describe, expect, it } from 'vitest';
import { applyDefaults, dropUndefined } from './defaults.js';

describe('applyDefaults', () => {
  it('sets the default of an option that is absent or undefined', () => {
    const options: {
      readonly a?: number | undefined;
      readonly b?: number | undefined;
      readonly c?: string | undefined;
    } = {
      b: undefined,
      c: 'c',
    };
    expect(applyDefaults({ a: 1, b: 2 }, options)).toEqual({ a: 1, b: 2, c: 'c' });
  });

  it('keeps values that are falsy', () => {
    expect(applyDefaults({ a: 1, b: true, c: 'c' }, { a: 0, b: false, c: '' })).toEqual({ a: 0, b: false, c: '' });
  });
});

describe('dropUndefined', () => {
  it('omits members that are undefined, and keeps null', () => {
    expect(Object.keys(dropUndefined({ a: undefined, b: null, c: 0 }))).toEqual(['b', 'c']);
  });
});
