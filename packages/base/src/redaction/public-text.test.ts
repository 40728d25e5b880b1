import { expect, it } from 'vitest';
import { toPublicText } from './public-text.js';

it('escapes escape sequences, bidi characters and other hidden characters in a text for another party', () => {
  expect(toPublicText('No \u001b[31maccount \u202e7\nnext\u0000 \u009b2Jline\u200b')).toBe(
    String.raw`No \u{1B}[31maccount \u{202E}7`.concat('\n', String.raw`next\u{0} \u{9B}2Jline\u{200B}`),
  );
});

it('keeps accents, scripts, emoji and line breaks', () => {
  const text = 'Größe نص 家族\n👩‍👩‍👧 ok';
  expect(toPublicText(text)).toBe(text);
});
