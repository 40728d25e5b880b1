import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatChallenges, parseChallenges } from './www-authenticate.js';

describe('parseChallenges', () => {
  it.each([
    ['Bearer', [{ scheme: 'bearer', params: {} }]],
    [undefined, []],
    ['', []],
    [' , ,', []],
    [
      'Bearer resource_metadata="https://a.example/x", scope="a b"',
      [{ scheme: 'bearer', params: { resource_metadata: 'https://a.example/x', scope: 'a b' } }],
    ],
    [
      'Bearer error="invalid_token", DPoP algs="ES256 RS256", error=use_dpop_nonce',
      [
        { scheme: 'bearer', params: { error: 'invalid_token' } },
        { scheme: 'dpop', params: { algs: 'ES256 RS256', error: 'use_dpop_nonce' } },
      ],
    ],
    [
      'Basic realm="a, \\"b\\" \\\\", Bearer',
      [
        { scheme: 'basic', params: { realm: 'a, "b" \\' } },
        { scheme: 'bearer', params: {} },
      ],
    ],
    [
      'Negotiate YWJj==, bearer Error = "x"',
      [
        { scheme: 'negotiate', params: {}, token68: 'YWJj==' },
        { scheme: 'bearer', params: { error: 'x' } },
      ],
    ],
    ['Bearer scope="a" , scope="b"', [{ scheme: 'bearer', params: { scope: 'a' } }]],
  ])('parses %s', (header, challenges) => {
    expect(parseChallenges(header)).toEqual(challenges);
  });

  it('accepts values without quotes and commas', () => {
    const sloppy = 'Bearer error="invalid_token" resource_metadata=https://a.example/.well-known/x?y=z, scope=a';
    expect(parseChallenges(sloppy)[0]?.params).toEqual({
      error: 'invalid_token',
      resource_metadata: 'https://a.example/.well-known/x?y=z',
      scope: 'a',
    });
  });

  it('skips malformed challenges', () => {
    expect(parseChallenges('"x", @@, Bearer scope="a')).toEqual([{ scheme: 'bearer', params: { scope: '' } }]);
    expect(parseChallenges('scope="a", Bearer')).toEqual([{ scheme: 'bearer', params: {} }]);
    expect(Object.keys(parseChallenges('Bearer __proto__="a"')[0]?.params ?? {})).toEqual(['__proto__']);
  });

  it('limits the number of challenges and never throws', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), text => void parseChallenges(text)));
    expect(parseChallenges('A, '.repeat(1000)).length).toBe(16);
    const many = Array.from({ length: 100 }, (_, n) => `p${n}=a`).join(', ');
    expect(Object.keys(parseChallenges(`Bearer ${many}`)[0]?.params ?? {}).length).toBe(32);
    expect(parseChallenges(`Bearer realm="${'a'.repeat(20_000)}", DPoP`).length).toBe(1);
  });
});

const token = fc.stringMatching(/^[a-z][a-z0-9_-]{0,8}$/);
const text = fc.string({
  unit: fc.integer({ min: 32, max: 126 }).map(code => String.fromCharCode(code)),
  maxLength: 40,
});
const challenge = fc.record({ scheme: token, params: fc.dictionary(token, text, { maxKeys: 6 }) });

describe('formatChallenges', () => {
  it('writes text that parseChallenges reads back', () => {
    fc.assert(
      fc.property(fc.array(challenge, { maxLength: 4 }), challenges => {
        expect(parseChallenges(formatChallenges(challenges))).toEqual(
          challenges.map(({ scheme, params }) => ({ scheme, params: { ...params } })),
        );
      }),
    );
  });

  it('omits empty values and writes no line breaks', () => {
    const header = formatChallenges([{ scheme: 'Bearer', params: { error: undefined, scope: 'a\r\nX: "b"é' } }]);
    expect(header).toBe('Bearer scope="a??X: \\"b\\"?"');
    expect(parseChallenges(`Basic, ${header}`)[1]?.params.scope).toBe('a??X: "b"?');
  });
});
