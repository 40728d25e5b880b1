import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseTemplate } from './template.js';
import { selectTemplates } from './template-index.js';

const list = (...keys: string[]) => keys.map(key => [key, key] as const);

it('selects the templates whose text begins a URI, in their order', () => {
  const entries = list('a://x/{b}', '{+any}', 'a://{b}', 'b://{b}', 'a://x/y/{b}');
  const select = (uri: string) => selectTemplates(entries, uri).map(([key]) => key);
  expect(select('a://x/1')).toEqual(['a://x/{b}', '{+any}', 'a://{b}']);
  expect(select('a://x/y/1')).toEqual(['a://x/{b}', '{+any}', 'a://{b}', 'a://x/y/{b}']);
  expect(select('c')).toEqual(['{+any}']);
});

it('omits no template that matches', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', '%41', 'ä', '~', '.') });
  const entry = fc.tuple(text, fc.constantFrom('{x}', '{+x}', '{/x}', '{?x}')).map(parts => `n://${parts.join('')}`);
  fc.assert(
    fc.property(fc.uniqueArray(entry, { maxLength: 6 }), text, (keys, rest) => {
      const entries = list(...keys);
      for (const uri of [`n://${rest}`, ...keys.map(key => parseTemplate(key).expand({ x: 'v' }))]) {
        const matching = keys.filter(key => parseTemplate(key).match(uri) !== undefined);
        const selected = selectTemplates(entries, uri).map(([key]) => key);
        expect(selected.filter(key => matching.includes(key))).toEqual(matching);
      }
    }),
  );
});
