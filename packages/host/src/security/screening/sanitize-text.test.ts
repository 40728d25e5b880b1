import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../../test/support/extent.js';
import { findFindings } from './find-findings.js';
import { sanitizeName, sanitizeText } from './sanitize-text.js';

/** Pieces that make trouble beside each other. */
const pieces = [
  ...[
    '\x1b',
    '\x1b[',
    '\x1b[31m',
    '\x1b]8;;',
    '\x1b\\',
    '\x07',
    '\x9b',
    '\x9d',
    '\x9c',
    '\0',
    '\b',
    '\r',
    '\n',
    '\t',
    '\r\n',
  ],
  ...[
    '\u200b',
    '\u200c',
    '\u200d',
    '\u200e',
    '\u200f',
    '\u061c',
    '\u202e',
    '\u2066',
    '\u2069',
    '\u2060',
    '\u00ad',
    '\ufeff',
  ],
  ...[
    '\u{e0041}',
    '\u{e007f}',
    '\u{1f3f4}',
    '\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}',
    '\ufe0f',
    '\ufe00',
    '\u{e0100}',
  ],
  ...[
    '\ud83d',
    '\ude00',
    '\u{1f468}',
    '\u{1f3fd}',
    '\u05d0',
    '\u0645',
    '\u0915',
    '\u094d',
    '\u845b',
    '\u0301',
    '\u034f',
    '\u180e',
  ],
  ...[
    '\u2800',
    '\u2801',
    '\u3164',
    '\u1160',
    '\u1100',
    '\u17b4',
    '\u1780',
    '\ue000',
    '\u{f0000}',
    '\ufdd0',
    '\u2028',
    '\u3000',
  ],
  ...[
    '![',
    '[',
    ']',
    '](',
    '(',
    ')',
    '][',
    ']: ',
    '<',
    '>',
    '<!--',
    '-->',
    '<img src=',
    '<a href=',
    '</a>',
    '‹',
    '›',
    '=',
    '"',
    "'",
  ],
  ...[
    'https://e.example/',
    '//e.example',
    'javascript:',
    '&#104;',
    '&Tab;',
    'ttps://',
    '\\',
    'a',
    'Z',
    ' ',
    '1',
    '.',
    ':',
    '@',
    '?d={x}',
  ],
  ...[' '.repeat(110), '\n'.repeat(25), '\u0301'.repeat(10), 'x'.repeat(60)],
];
const hostile = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 3 })), {
  maxLength: 40,
});
const text = hostile.map(parts => parts.join(''));
const showing = fc.record({ lines: fc.boolean(), max: fc.integer({ min: 1, max: 300 }) });

const never =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2060-\u206f\ufff9-\ufffb\p{Co}\p{Cs}\p{Noncharacter_Code_Point}]/u;

describe('sanitizeText', () => {
  it('returns no character that hides or moves others', () => {
    fc.assert(
      fc.property(text, showing, (given, options) => {
        const shown = sanitizeText(given, options);
        expect(shown).not.toMatch(never);
        if (!options.lines) expect(shown).not.toMatch(/[\n\t]/);
        expect(findFindings(shown, '').filter(({ severity }) => severity === 'strip')).toEqual([]);
      }),
      { numRuns: takeRuns(1500) },
    );
  });

  it('returns no active link', () => {
    fc.assert(
      fc.property(text, given => {
        const kinds = findFindings(sanitizeText(given, { lines: true }), '').map(({ kind }) => kind);
        expect(kinds.filter(kind => ['remote-image', 'html', 'hidden-html', 'whitespace'].includes(kind))).toEqual([]);
      }),
      { numRuns: takeRuns(1500) },
    );
  });

  it('returns the same for its own result', () => {
    fc.assert(
      fc.property(text, showing, (given, options) => {
        const shown = sanitizeText(given, options);
        expect(sanitizeText(shown, options)).toBe(shown);
        expect(sanitizeName(sanitizeName(given))).toBe(sanitizeName(given));
      }),
      { numRuns: takeRuns(3000) },
    );
  });

  it('limits its result', () => {
    fc.assert(
      fc.property(text, showing, (given, options) => {
        expect(sanitizeText(given, options).length).toBeLessThanOrEqual(options.max);
        expect(sanitizeName(given).length).toBeLessThanOrEqual(128);
      }),
    );
    expect(sanitizeText('\u202e'.repeat(1_000_000)).length).toBeLessThanOrEqual(4000);
    expect(sanitizeText('ab '.repeat(1_000_000), { max: 100 })).toHaveLength(100);
  });

  it('keeps letters of all scripts', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'aZß é ъ Ω א ب क 漢 が 한 ไ 😀 👍🏽 1.,'), minLength: 1 });
    fc.assert(
      fc.property(letters, given => {
        expect(sanitizeText(given)).toBe(given.replace(/ +/g, ' ').trim());
      }),
    );
  });

  it('keeps line breaks only with the option', () => {
    expect(sanitizeText('a\n\tb\r\nc')).toBe('a b c');
    expect(sanitizeText('a\n\tb\r\nc', { lines: true })).toBe('a\n\tb\nc');
    expect(sanitizeText('10%\r20%', { lines: true })).toBe('10%\n20%');
  });

  it('replaces long spaces by their number', () => {
    expect(sanitizeText(`a${'\n'.repeat(30)}b`, { lines: true })).toBe('a\n‹30 lines›\nb');
    expect(sanitizeText(`a${'\u00a0'.repeat(300)}b`)).toBe('a ‹300 spaces› b');
  });

  it('ends a shortened text between characters', () => {
    expect(sanitizeText('👍👍👍', { max: 4 })).toBe('👍…');
    expect(sanitizeText('e\u0301e\u0301', { max: 3 })).not.toMatch(/\u0301…$/);
  });

  it('spells lookalike letters of a name', () => {
    expect(sanitizeName('p\u0430ypal_send')).toBe('p\\u{430}ypal_send');
    expect(sanitizeName('list\u202e_files\n')).toBe('list\\u{202E}_files');
    expect(sanitizeName('погода')).toBe('погода');
    expect(sanitizeName('\u{e0100}\u0395')).toBe('\\u{E0100}\\u{395}');
    expect(sanitizeName('café…')).toBe('café…');
    expect(sanitizeName('\u001b[0m')).toBe('‹no name›');
  });
});
