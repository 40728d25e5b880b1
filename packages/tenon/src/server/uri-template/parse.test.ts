import { describe, expect, it } from 'vitest';
import { MAX_EXPRESSIONS, MAX_NAME_LENGTH, MAX_TEMPLATE_LENGTH, MAX_VARIABLES, parse } from './parse.js';

const trouble = (template: string) => {
  const parsed = parse(template);
  return 'reason' in parsed ? parsed : undefined;
};

describe('parse', () => {
  it('reads literals and expressions with operators and modifiers [resources.templates.rfc6570]', () => {
    expect(parse('note://{title}/{+path:12}{?q,lang*}')).toEqual({
      parts: [
        'note://',
        { operator: '', variables: [{ name: 'title', explode: false }] },
        '/',
        { operator: '+', variables: [{ name: 'path', explode: false, prefix: 12 }] },
        {
          operator: '?',
          variables: [
            { name: 'q', explode: false },
            { name: 'lang', explode: true },
          ],
        },
      ],
    });
  });

  it('encodes literals', () => {
    expect(parse('café/%2f\'[]"'.slice(0, -1))).toEqual({ parts: ["caf%C3%A9/%2f'[]"] });
    expect(parse('')).toEqual({ parts: [] });
  });

  it.each(['{a.b}', '{a_b}', '{42}', '{Stra%C3%9Fe}', '{__proto__}', '{x:1}', '{x:9999}'])('accepts %s', template => {
    expect(trouble(template)).toBeUndefined();
  });

  it.each([
    ['{/id*', 0],
    ['/id*}', 4],
    ['{/?id}', 2],
    ['{var:prefix}', 4],
    ['{hello:2*}', 6],
    ['{??hello}', 2],
    ['{!hello}', 1],
    ['{=path}', 1],
    ['{|var*}', 1],
    ['{@x}', 1],
    ['{,x}', 1],
    ['{$var}', 1],
    ['{with space}', 5],
    ['{ leading}', 1],
    ['{*keys?}', 1],
    ['{?empty=default,var}', 7],
    ['{-join|&|var,list}', 1],
    ['{default-graph-uri}', 8],
    ['{?x, y}', 4],
    ['{x,}', 3],
    ['{}', 1],
    ['{?}', 2],
    ['{x.}', 2],
    ['{x..y}', 2],
    ['{.x.}', 3],
    ['{%2x}', 1],
    ['{var:0}', 4],
    ['{var:01}', 4],
    ['{var:10000}', 4],
    ['{var:}', 4],
    ['{a{b}}', 2],
    ['{x**}', 2],
    ['ab%2', 2],
    ['ab%{x}', 2],
    ['%2{x}', 0],
    ['a b', 1],
    ['a"', 1],
    ['a<', 1],
    ['a\\', 1],
    ['a^', 1],
    ['a`', 1],
    ['a|', 1],
    ['a\u0000', 1],
    ['a\u007f', 1],
    ['a\u0085', 1],
    ['a\ud800', 1],
    ['é\ufffe', 1],
    ['𝄞\u{1ffff}', 2],
    ['\u{e0001}', 0],
  ])('reports the error in %j at %d', (template, at) => {
    expect(trouble(template)).toMatchObject({ position: at, reason: expect.any(String) });
  });

  it('distinguishes a reserved operator from an invalid name', () => {
    for (const sign of '=,!@|') expect(trouble(`{${sign}x}`)?.reason).toContain('reserved');
    expect(trouble('{$x}')?.reason).toContain('begins no name');
  });

  it('limits length, expressions, variables and names', () => {
    expect(trouble('a'.repeat(MAX_TEMPLATE_LENGTH))).toBeUndefined();
    expect(trouble('a'.repeat(MAX_TEMPLATE_LENGTH + 1))?.reason).toContain('8192');
    expect(trouble('{a}'.repeat(MAX_EXPRESSIONS))).toBeUndefined();
    expect(trouble('{a}'.repeat(MAX_EXPRESSIONS + 1))?.reason).toContain('64 expressions');
    expect(trouble(`{${'a,'.repeat(MAX_VARIABLES - 1)}a}`)).toBeUndefined();
    expect(trouble(`{${'a,'.repeat(MAX_VARIABLES)}a}`)?.reason).toContain('64 variables');
    expect(trouble(`{${'a'.repeat(MAX_NAME_LENGTH)}}`)).toBeUndefined();
    expect(trouble(`{${'a'.repeat(MAX_NAME_LENGTH + 1)}}`)?.reason).toContain('128');
  });
});
