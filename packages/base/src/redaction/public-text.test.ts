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

it.each([
  ['at /n: expected a number', {}],
  ['Invalid arguments: at /items/0/a: expected a string\nat /items/1: is required', { items: [{ a: 1 }] }],
  ['at /arguments/city: is required', { arguments: {} }],
  ['at /a~1b/~0: expected a string', { 'a/b': {} }],
])('keeps a pointer to a member of what the other party sent: %s', (text, sent) => {
  expect(toPublicText(text, [undefined, sent])).toBe(text);
});

it.each([
  ['at /home/ada/x.json: not found', { n: 1 }],
  ['at /items/0/a: no', { items: 'text' }],
  ['at /items/length/a: no', { items: [1] }],
  ['at /__proto__/x/y: no', {}],
])('hides a path that is no member of what the other party sent: %s', (text, sent) => {
  expect(toPublicText(`cannot read ${text}`, [sent])).not.toContain('/');
});
