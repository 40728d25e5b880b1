import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkContentBlock, isMethod, isNotification, methods, notifications } from './methods.js';
import { dialects } from './versions/index.js';

const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf'];

describe('the table of methods', () => {
  it('contains every method of every protocol version, and no name of a prototype', () => {
    for (const { methods: vocabulary } of dialects) {
      for (const word of [...vocabulary.client, ...vocabulary.server]) {
        expect(isMethod(word) || isNotification(word)).toBe(true);
      }
    }
    for (const name of names) expect(isMethod(name) || isNotification(name)).toBe(false);
  });

  it('names the sender of each method on every protocol version', () => {
    for (const { methods: vocabulary } of dialects) {
      for (const [name, { sender: from }] of [...Object.entries(methods), ...Object.entries(notifications)]) {
        if (from === 'client') expect(vocabulary.server.has(name)).toBe(false);
        if (from === 'server') expect(vocabulary.client.has(name)).toBe(false);
      }
    }
  });

  it('checks any params and any result without throwing', () => {
    const checks = [
      ...Object.values(methods).flatMap(({ params, result }) => [params, result]),
      ...Object.values(notifications).map(({ params }) => params),
    ];
    const value = fc.oneof(
      fc.anything(),
      fc.dictionary(
        fc.constantFrom('name', 'uri', 'content', 'ref', 'messages', 'type', '_meta', 'cursor'),
        fc.jsonValue(),
      ),
    );
    fc.assert(
      fc.property(fc.constantFrom(...checks), value, (check, each) =>
        ['string', 'undefined'].includes(typeof check(each)),
      ),
    );
  });
});

describe('checkContentBlock', () => {
  it.each([
    [{ type: 'text', text: 'x' }, undefined],
    [{ type: 'text' }, 'at /text: expected a value, got nothing'],
    [{ type: 'image', data: 'x' }, 'at /mimeType: expected a value, got nothing'],
    [{ type: 'resource', resource: { uri: 'a:b', text: 'x' } }, undefined],
    [{ type: 'unknown', more: 1 }, undefined],
    [{ type: 5 }, 'at /type: expected a string, got a number'],
  ])('returns for %j: %s', (block, issue) => expect(checkContentBlock(block)).toBe(issue));

  it.each(names)('accepts the unknown type %s', type => expect(checkContentBlock({ type })).toBeUndefined());
});
