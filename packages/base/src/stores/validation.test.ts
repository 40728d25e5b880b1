import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json/json-object.js';
import { checkKey, checkVersion, computeExpiry, serializeValue, toKeyRange } from './validation.js';

const error = (code: string, received?: string) =>
  expect.objectContaining({ code, ...(received === undefined ? {} : { received }) });

describe('checkKey', () => {
  it('accepts 1 to 512 printable ASCII characters', () => {
    for (const key of ['a', ' ~', 'x'.repeat(512)]) expect(() => checkKey(key)).not.toThrow();
    expect(() => checkKey('')).toThrow(error('store/key', 'an empty string'));
    expect(() => checkKey('x'.repeat(513))).toThrow(error('store/key', '513 characters'));
    expect(() => checkKey('é')).toThrow(error('store/key', 'a key with other characters'));
    expect(() => checkKey(1 as unknown as string)).toThrow(error('store/key', 'a value of type number'));
  });
});

describe('serializeValue', () => {
  it('accepts an object whose JSON text is within the limit', () => {
    expect(serializeValue({ a: 1 }, 7)).toBe('{"a":1}');
    expect(() => serializeValue({ a: 1 }, 6)).toThrow(error('store/value-too-large', '7'));
  });

  it('refuses any other value', () => {
    const loop: JsonObject = {};
    loop.self = loop;
    for (const value of ['text', [1], [{}], null, 1n, { toJSON: () => 'text' }, loop, { toJSON: () => undefined }])
      expect(() => serializeValue(value as JsonObject, 100)).toThrow(error('store/value'));
  });
});

describe('computeExpiry', () => {
  it('adds the lifetime to the time of the write, rounded up', () => {
    expect(computeExpiry({ ttl: 0.5 }, 1000)).toBe(1001);
    expect(computeExpiry({}, 1000)).toBeUndefined();
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('refuses %s', ttl => {
    expect(() => computeExpiry({ ttl }, 0)).toThrow(error('store/option', String(ttl)));
  });
});

describe('checkVersion', () => {
  it('accepts safe integers from 0', () => {
    for (const version of [undefined, 0, 7]) expect(() => checkVersion(version)).not.toThrow();
    for (const version of [-1, 1.5, 2 ** 53]) expect(() => checkVersion(version)).toThrow(error('store/option'));
  });
});

describe('toKeyRange', () => {
  it('begins at the prefix, or after the key that was listed last', () => {
    expect(toKeyRange('a/', {}).first).toBe('a/');
    expect(toKeyRange('a/', { after: 'a/5' }).first).toBe('a/5 ');
    expect(toKeyRange('a/', { after: 'A' }).first).toBe('a/');
  });

  it('limits to 1000 keys', () => {
    expect(toKeyRange('', {}).limit).toBe(1000);
    expect(toKeyRange('', { limit: 1 }).limit).toBe(1);
    expect(toKeyRange('', { limit: 1001 }).limit).toBe(1000);
    for (const limit of [0, -1, 1.5]) expect(() => toKeyRange('', { limit })).toThrow(error('store/option'));
  });

  it('refuses characters that keys cannot have', () => {
    expect(() => toKeyRange('é', {})).toThrow(error('store/key'));
    expect(() => toKeyRange('', { after: 'é' })).toThrow(error('store/key'));
  });
});
