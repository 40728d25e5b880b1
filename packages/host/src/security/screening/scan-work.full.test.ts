/** The work of a scan grows with the text, whatever it contains. */
import { describe, expect, it } from 'vitest';
import { findCandidates } from './find-findings.js';
import type { StepCounter } from './finding.js';

/** Inputs on which careless scanners take quadratic time or worse. */
const adversaries: Record<string, string> = {
  'open brackets': '[',
  'open images': '![',
  'links without an end': '](h',
  'links with a scheme': '](https://e',
  'links in character references': '](&#1;&',
  'nested links': '[a](b:c',
  references: '[a][',
  definitions: '\n[a]:',
  'open tags': '<a ',
  'open comments': '<!--',
  'open elements': '<img src=',
  'open styles': '<p style="display :',
  'escapes without an end': '\x1b]8;;',
  'escapes of escapes': '\x1b',
  'tag characters': '\u{e0041}',
  'zero width': '\u200b\u200c',
  'marks of direction': 'א\u200f\u200e\u200f',
  marks: '\u0301',
  selectors: '\u{e0100}',
  flags: '\u{1f3f4}\u{e0067}',
  blanks: ' ',
  'blank lines': '\n \n',
  addresses: 'https://',
  'addresses with angles': 'https://=<>',
  'data addresses': 'data:a',
  base64: 'QUJD',
  'short runs': `${'A'.repeat(39)} `,
  references2: '&#1;',
  'per cents': '%41',
  'beginnings of phrases': 'ignore all ',
  'long words': 'ignore',
  'turns of chats': '\n\nsystem: ',
  'mixed words': 'p\u0430',
  dots: 'a.',
  quotes: '](a:b "',
};

describe('the steps of a scan', () => {
  it.each(Object.entries(adversaries))('grow linearly for %s', (_name, unit) => {
    const steps = (length: number): number => {
      const meter: StepCounter = { steps: 0 };
      findCandidates(unit.repeat(Math.ceil(length / unit.length)), length * 2, meter);
      return meter.steps;
    };
    const [short, long] = [steps(100_000), steps(1_000_000)];
    expect(long).toBeLessThan(short * 11);
    expect(long).toBeLessThan(40_000_000);
  });
});
