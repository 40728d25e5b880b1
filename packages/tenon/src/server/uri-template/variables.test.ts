import { describe, expectTypeOf, it } from 'vitest';
import { parseTemplate } from './template.js';
import type { TemplateVariables } from './variables.js';

describe('TemplateVariables', () => {
  it('reads names, lists and optional variables from the text', () => {
    expectTypeOf<TemplateVariables<'note://{title}/{+path}{?q,lang*}'>>().toEqualTypeOf<{
      title: string;
      path: string;
      q?: string;
      lang?: string[];
    }>();
    expectTypeOf<TemplateVariables<'{a,b*}{/c,d*}{.e}{#f}{;g}?x{&h*}'>>().toEqualTypeOf<{
      a: string;
      b: string[];
      c?: string;
      d?: string[];
      e?: string;
      f?: string;
      g?: string;
      h?: string[];
    }>();
  });

  it('drops prefixes and accepts a template without variables', () => {
    expectTypeOf<TemplateVariables<'{a:3}{/b:12}'>>().toEqualTypeOf<{ a: string; b?: string }>();
    expectTypeOf<keyof TemplateVariables<'note://all'>>().toEqualTypeOf<never>();
  });

  it('keeps the templates of a union apart', () => {
    expectTypeOf<TemplateVariables<'{a}' | '{b*}'>>().toEqualTypeOf<{ a: string } | { b: string[] }>();
  });

  it('falls back to any names for a text that is unknown', () => {
    type Unknown = Record<string, string | string[]>;
    expectTypeOf<TemplateVariables<string>>().toEqualTypeOf<Unknown>();
    expectTypeOf<TemplateVariables<`note://${string}`>>().toEqualTypeOf<Unknown>();
  });

  it('reads as many expressions as a template may have', () => {
    type Eight<T extends string> = `${T}0/${T}1/${T}2/${T}3/${T}4/${T}5/${T}6/${T}7/`;
    type Four = `${Eight<'{a}/'>}${Eight<'{b}/'>}${Eight<'{c}/'>}${Eight<'{d,e,f,g}/'>}`;
    expectTypeOf<TemplateVariables<`${Four}${Four}`>>().toEqualTypeOf<
      Record<'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g', string>
    >();
  });

  it('types what a match gives', () => {
    const match = parseTemplate('note://{title}{?tag*}').match('note://a');
    expectTypeOf(match).toEqualTypeOf<{ title: string; tag?: string[] } | undefined>();
    expectTypeOf(parseTemplate('note://{title}' as string).match('')).toEqualTypeOf<
      Record<string, string | string[]> | undefined
    >();
  });
});
