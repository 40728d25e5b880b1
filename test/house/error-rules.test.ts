import { describe, expect, it } from 'vitest';
import {
  type ErrorSite,
  findBadHints,
  findBadSummaries,
  findBadValues,
  findBannedPhrases,
  findErrorSites,
  findLongSentences,
  findUndocumentedCodes,
} from './error-rules.js';
import { parse } from './source.js';

const readSite = (details: string, summary = "'invalid key'", code = "'store/key'"): ErrorSite =>
  findErrorSites(parse('a.ts', `new TenonError(${code}, ${summary}, ${details})`))[0] as ErrorSite;

describe('findErrorSites', () => {
  it('finds texts in literals, templates, branches, variables and spreads', () => {
    const text = `function f(a: string) {
      const hint = a ? 'pass a' : \`pass \${a} and b\`;
      const details = { expected: 'x', ...(a ? { received: 'y' } : {}) };
      throw new TenonError('a/b', a ?? 'invalid a', { hint });
      throw new TenonError('a/b', 'invalid a', details);
    }`;
    const [first, second] = findErrorSites(parse('a.ts', text));
    expect(first).toMatchObject({ place: 'a.ts:4', codes: ['a/b'], summary: ['invalid a'] });
    expect(first?.hint).toEqual(['pass a', 'pass \u2026 and b']);
    expect(second).toMatchObject({ expected: ['x'], received: ['y'] });
    expect(findErrorSites(parse('a.ts', "new TypeError('a/b', 'x')"))).toEqual([]);
  });

  it('finds texts in the arguments of the functions that create errors', () => {
    const text = `
      const createError = (summary: string, hint: string) => new TenonError('a/b', summary, { hint });
      throw createError('invalid a', 'pass a');
      throw createError('invalid b', 'pass b');`;
    expect(findErrorSites(parse('a.ts', text))[0]).toMatchObject({
      summary: ['invalid a', 'invalid b'],
      hint: ['pass a', 'pass b'],
    });
  });
});

describe('the rules of error texts', () => {
  it.each(["'invalid key.'", "'what came cannot be read'", "'Invalid key'", "'it takes too long'", "'this is no key'"])(
    'reject the summary %s',
    summary => {
      expect(findBadSummaries(readSite('{}', summary))).toHaveLength(1);
    },
  );

  it('accept a clause, and a sentence where the text crosses the wire', () => {
    expect(findBadSummaries(readSite('{}'))).toEqual([]);
    expect(
      findBadSummaries(readSite('{}', "'The client does not support roots'", "'client/missing-capability'")),
    ).toEqual([]);
  });

  it.each(["{ expected: 'a key.' }", "{ expected: 'that it ends' }", "{ received: 'what is none' }"])(
    'reject the values %s',
    details => {
      expect(findBadValues(readSite(details))).toHaveLength(1);
      expect(findBadValues(readSite("{ expected: 'a key', received: 'null' }"))).toEqual([]);
    },
  );

  it.each(["{ hint: 'Pass a key' }", "{ hint: 'it is tried again' }", "{ hint: 'pass a key.' }"])(
    'reject %s',
    details => {
      expect(findBadHints(readSite(details))).toHaveLength(1);
      expect(findBadHints(readSite("{ hint: 'pass a key' }"))).toEqual([]);
      expect(findBadHints(readSite('{ hint: \'did you mean "a"?\' }'))).toEqual([]);
    },
  );

  it.each([
    'this is no key',
    'can not read',
    'nobody waits',
    'somebody answered',
    'whoever runs it',
    'ten at the most',
    'the option is unfit',
    'the value does not fit',
    'the caller gave the call up',
    'there is no way to ask',
    'the tool is left out',
    'the other end is closed',
    'register it by hand',
    'not wanted any longer',
    'it has to be closed',
    'the vault is locked',
    'the id is none',
  ])('reject the phrase in "%s"', text => {
    expect(findBannedPhrases(readSite('{}', JSON.stringify(text)))).not.toEqual([]);
  });

  it('accept standard phrases', () => {
    expect(findBannedPhrases(readSite("{ expected: 'at most 3', hint: 'pass a key' }"))).toEqual([]);
  });

  it('reject a sentence of more than 25 words', () => {
    expect(findLongSentences(readSite('{}', `'${'word '.repeat(25)}word'`))).toHaveLength(1);
    expect(findLongSentences(readSite('{}', `'${'word '.repeat(24)}word'`))).toEqual([]);
    expect(findLongSentences(readSite('{}', `'${'word '.repeat(20)}: ${'word '.repeat(20)}'`))).toEqual([]);
  });

  it('reject codes that the documentation does not have', () => {
    expect(findUndocumentedCodes(readSite('{}'), new Set())).toHaveLength(1);
    expect(findUndocumentedCodes(readSite('{}'), new Set(['store/key']))).toEqual([]);
  });
});
