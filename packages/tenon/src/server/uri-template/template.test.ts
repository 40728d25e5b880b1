import { describe, expect, it } from 'vitest';
import { parseTemplate } from './template.js';

describe('parseTemplate', () => {
  it('lists its variables, each once', () => {
    const template = parseTemplate('{b}/{a,b}{?c*}');
    expect(template.source).toBe('{b}/{a,b}{?c*}');
    expect(template.variables).toEqual(['b', 'a', 'c']);
    expect(Object.isFrozen(template)).toBe(true);
  });

  it('throws with the position and the next step', () => {
    expect(() => parseTemplate('note://{user-id}')).toThrow(
      expect.objectContaining({
        code: 'template/malformed',
        data: { position: 12, reason: expect.stringContaining('"-id"') },
        message: expect.stringMatching(/invalid URI template "note:\/\/\{user-id\}" at 12: .*\. [A-Z]/),
      }),
    );
  });

  it('quotes only the beginning of a long template', () => {
    const error = (() => {
      try {
        parseTemplate('a'.repeat(100_000));
      } catch (thrown) {
        return thrown as Error;
      }
    })();
    expect(error?.message.length).toBeLessThan(400);
  });
});

describe('matchable', () => {
  it.each([
    'note://all',
    '{x}',
    '{x,y}',
    '{x,y*}',
    '{+dir}/{name}',
    '{+a}/{+b}',
    '{name}{.ext}',
    '{/a}{/b}',
    '{/a,b*}{?q}{#f}',
    'note://{title}/{+path}{?q,lang*}',
    '?fixed=yes{&x}',
    '/a{;p}{/b}{?q}',
    '{?a*,b*}',
  ])('accepts %s', template => {
    expect(parseTemplate(template).matchable).toBe(true);
  });

  it.each([
    ['{x}{y}', 'nothing stands between {x}'],
    ['{+a}{+b}', 'nothing stands between {+a}'],
    ['{/a}{b}', 'nothing stands between {/a}'],
    ['{a}{/b}{c}', 'nothing stands between {a}'],
    ['{?q}{x}', 'nothing stands between {?q}'],
    ['{x:3}', '"x:3" keeps only the beginning'],
    ['{x}/{x}', '"x" stands in it twice'],
    ['{x,x}', '"x" stands in it twice'],
    ['{x*,y}', '"x*" is not the last'],
    ['{/x*,y*}', '"x*" is not the last'],
    ['{/a*}{/b}', '"/" separates the items of {/a*}'],
    ['{.a*}{?q}{.b}', '"." separates the items of {.a*}'],
    ['{?a}{&b}', '"&" right after {?a}'],
    ['{?a}{#f}{?b}', '"?" right after {?a}'],
    ['{;a}{;b}', '";" right after {;a}'],
    ['{?a}?', '"?" right after {?a}'],
    ['{?a}&b=1', '"&" right after {?a}'],
    ['{;a}{#f}.x', '"." right after {;a}'],
    ['{;a}%20', '"%" right after {;a}'],
  ])('refuses %s: %s', (text, reason) => {
    const template = parseTemplate(text);
    expect(template.matchable).toContain(reason);
    expect(template.match(template.expand({ x: 'a', y: 'b', a: 'c', b: 'd', q: 'e', f: 'f' }))).toBeUndefined();
  });
});
