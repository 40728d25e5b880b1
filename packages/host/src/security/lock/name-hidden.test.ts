import { expect, it } from 'vitest';
import { nameHidden } from './name-hidden.js';

it('names characters that cannot be seen by number and name [con.lock]', () => {
  expect(nameHidden('a\u200bb\u202ec')).toBe('a<U+200B ZERO WIDTH SPACE>b<U+202E RIGHT-TO-LEFT OVERRIDE>c');
  expect(nameHidden('\u{e0041}\u{fe0f}\ue000\u0001')).toBe(
    '<U+E0041 TAG A><U+FE0F VARIATION SELECTOR><U+E000 PRIVATE USE CHARACTER><U+0001 CONTROL CHARACTER>',
  );
  expect(nameHidden('plain größe 日本 😀')).toBe('plain größe 日本 😀');
});
