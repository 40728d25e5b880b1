import { describe, expect, it } from 'vitest';
import { findRule } from './find-rule.js';

const TEXT = `{
  // "rules": [{ "deny": "in a comment" }]
  "quotas": [{ "per": ["principal"], "calls": 1, "window": "1h", "match": { "tool": "a" } }],
  "rules": [
    { "deny": "fs/*", "arguments": { "path": { "under": "/etc}" } } }, /* { "deny": "x" } */
    { "allow": "fs/{a}\\"]" },
  ],
  "fallback": "ask"
}`;
const read = (number: number, text = TEXT) => {
  const place = findRule(text, number);
  return place && text.slice(place.start, place.end);
};

describe('findRule', () => {
  it('finds a rule by its number, also beside comments and brackets in texts', () => {
    expect(read(1)).toBe('{ "deny": "fs/*", "arguments": { "path": { "under": "/etc}" } } }');
    expect(read(2)).toBe('{ "allow": "fs/{a}\\"]" }');
  });

  it('finds nothing for a number without a rule, and in a text that is no policy', () => {
    expect(read(3)).toBeUndefined();
    expect(read(0)).toBeUndefined();
    for (const text of ['', '[[[{', '"rules": [{}]', '{ "rules": {} }']) expect(read(1, text)).toBeUndefined();
  });
});
