import { describe, expect, it } from 'vitest';
import { defang } from './defang.js';

describe('defang', () => {
  it.each([
    ['a link', 'see [a](https://evil.example/p) now', 'see ‹a → evil.example› now'],
    ['a link without a label', '[](https://evil.example)', '‹ → evil.example›'],
    ['a link whose opening is missing', 'a](https://evil.example)', 'a → evil.example›'],
    ['an image', '![a](https://evil.example)', '‹image a → evil.example›'],
    ['an image without a label', '![](https://evil.example)', '‹image  → evil.example›'],
    ['a title with brackets', '[a](https://evil.example "t[1]")', '‹a “t 1 ” → evil.example›'],
    ['a tag', 'a<img src=x>b', 'a‹img src=x>b'],
    [
      'a link within a link',
      '[![a](https://one.example)](https://two.example)',
      '‹‹image a → one.example› → two.example›',
    ],
    ['text without markup', 'a [b] (c) < d', 'a [b] (c) < d'],
  ])('writes %s as plain text', (_, text, expected) => {
    expect(defang(text)).toBe(expected);
  });
});
