import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../../test/support/extent.js';
import { match, type SymbolCounter } from './match.js';
import { createMatchPlan, type MatchPlan } from './match-plan.js';
import { parse } from './parse.js';
import { parseTemplate, type Template } from './template.js';

const OPERATORS = ['', '+', '#', '.', '/', ';', '?', '&'];

/** Templates of any kind, many of them matchable. Their literals have no letters, which values may begin and end with. */
const variable = fc.record({ name: fc.constantFrom(...'abcdefgh'), modifier: fc.constantFrom('', '', '', '*', ':3') });
const expression = fc
  .tuple(fc.constantFrom(...OPERATORS), fc.array(variable, { minLength: 1, maxLength: 3 }))
  .map(([operator, variables]) => `{${operator}${variables.map(v => v.name + v.modifier).join(',')}}`);
const literal = fc.constantFrom('/', '/', '-', '.', '?', '://', '/-/', '#', '!');
const template = fc
  .array(fc.oneof(expression, literal), { maxLength: 6 })
  .map(parts => parseTemplate(parts.join('') as string));
const matchable = template.filter(t => t.matchable === true);

const word = fc.string({
  unit: fc.constantFrom('a', 'B', '7', '_', 'ü', '日', '𝄞', ' ', '"', '\t'),
  minLength: 1,
  maxLength: 5,
});

/** A value for each variable that must be there; of optional expressions, positional ones are filled from the left. */
const valuesOf = (t: Template) => {
  const parsed = parse(t.source);
  const expressions = 'parts' in parsed ? parsed.parts.filter(part => typeof part !== 'string') : [];
  const each = expressions.map(({ operator, variables }) => {
    const values = variables.map(v => (v.explode ? fc.array(word, { minLength: 1, maxLength: 3 }) : word));
    const needed = operator === '' || operator === '+';
    const count = needed ? fc.constant(values.length) : fc.nat(values.length);
    return fc
      .tuple(fc.tuple(...values), count)
      .map(([all, n]) => variables.slice(0, n).map((v, i) => [v.name, all[i]!] as const));
  });
  return fc.tuple(...each).map(entries => Object.fromEntries(entries.flat()) as Record<string, string | string[]>);
};

/** Two path, label or fragment expressions fill from the left, so a hole in their row moves. */
const moves = (t: Template) => /\{([/.#]).*\{\1/.test(t.source);

describe('matching, as properties', () => {
  it('returns the values that were expanded [resources.templates.rfc6570]', () => {
    const cases = matchable.filter(t => !moves(t)).chain(t => fc.tuple(fc.constant(t), valuesOf(t)));
    fc.assert(
      fc.property(cases, ([t, values]) => {
        expect(t.match(t.expand(values))).toEqual(values);
      }),
      { numRuns: takeRuns(2000) },
    );
  });

  it('finds only values that expand to the same URI', () => {
    const uri = fc.string({ unit: fc.constantFrom(...'ab/.,;=?&#-:!'), maxLength: 14 });
    const cases = matchable.chain(t =>
      fc.tuple(
        fc.constant(t),
        fc.oneof(
          uri,
          valuesOf(t).chain(values => fc.tuple(fc.constant(t.expand(values)), uri, fc.nat(30)).map(insert)),
        ),
      ),
    );
    let matched = 0;
    const numRuns = takeRuns(6000);
    fc.assert(
      fc.property(cases, ([t, text]) => {
        const values = t.match(text, { allowUnsafe: true });
        if (values === undefined) return;
        matched++;
        expect(pieces(t.expand(values))).toEqual(pieces(text));
      }),
      { numRuns },
    );
    expect(matched).toBeGreaterThan(numRuns / 30);
  });

  it('finds a value exactly where a slow search finds one', () => {
    const simple = fc
      .array(fc.tuple(fc.constantFrom('{x}', '{+x}', '{x*}', '{.x}', '{/x}', '{/x*}', '{#x}'), literal), {
        maxLength: 4,
      })
      .map(pairs => pairs.map(([e, l], i) => e.replace('x', `v${i}`) + l).join(''))
      .map(text => parseTemplate(text as string))
      .filter(t => t.matchable === true);
    const text = fc.string({ unit: fc.constantFrom(...'ab/.,#-!?:'), maxLength: 10 });
    const plain = fc.constantFrom('a', 'b', 'ab', 'a-b', 'a.b');
    const filled = (t: Template) =>
      fc.array(plain, { minLength: 4, maxLength: 4 }).map(([v0, v1, v2, v3]) => t.expand({ v0, v1, v2, v3 }));
    const cases = simple.chain(t =>
      fc.tuple(fc.constant(t), fc.oneof(text, filled(t), fc.tuple(filled(t), text, fc.nat(8)).map(insert))),
    );
    let matched = 0;
    const numRuns = takeRuns(3000);
    fc.assert(
      fc.property(cases, ([t, uri]) => {
        const expected = slowly(t).test(uri);
        if (expected) matched++;
        expect(t.match(uri, { allowUnsafe: true }) !== undefined).toBe(expected);
      }),
      { numRuns },
    );
    expect(matched).toBeGreaterThan(numRuns / 5);
  });

  it('never throws for any URI', () => {
    const any = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...'%2Fe./?&=#;,a', '\ud800', '\0', 'é') }),
    );
    fc.assert(
      fc.property(template, any, fc.boolean(), (t, text, allowUnsafe) => {
        expect(() => t.match(text, { allowUnsafe })).not.toThrow();
      }),
      { numRuns: takeRuns(2000) },
    );
  });

  it('parses or refuses any template', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}ab+#./;?&*:1,%2 é|=', '\ud800') }), text => {
        const parsed = parse(text);
        if ('reason' in parsed) expect(parsed.position).toBeLessThanOrEqual(text.length);
        else expect(createMatchPlan(parsed.parts)).toBeDefined();
      }),
      { numRuns: takeRuns(2000) },
    );
  });
});

function insert([text, more, at]: readonly [string, string, number]): string {
  return text.slice(0, at) + more + text.slice(at);
}

/** A URI without the order of its parameters, the way of writing an empty one, and what need not be encoded. */
function pieces(uri: string): string[] {
  return decodeURIComponent(uri)
    .replace(/([?&;][\w.~-]+)=(?=[^\w.~=-])/g, '$1')
    .split(/[?&;#]/)
    .map(piece => piece.replace(/=$/, ''))
    .sort();
}

/** The same language as a regular expression, which is free to take its time. */
function slowly(t: Template): RegExp {
  const parsed = parse(t.source);
  const parts = 'parts' in parsed ? parsed.parts : [];
  const source = parts.map((part, index) => {
    if (typeof part === 'string') return part.replace(/[.?]/g, '\\$&');
    const { operator, variables } = part;
    const later = parts
      .slice(index + 1)
      .filter(p => typeof p === 'string')
      .join('');
    const fragmentLater = parts.slice(index + 1).some(p => typeof p !== 'string' && p.operator === '#');
    const stops = `${later.includes('?') ? '' : '?'}${later.includes('#') || fragmentLater ? '' : '#'}`;
    // A value takes what an expansion would encode, unless it can be a later part of the template.
    const taken = parts
      .slice(index + 1)
      .map(p =>
        typeof p === 'string' ? p : p.operator + (p.variables[0]!.explode && !/[./]/.test(p.operator) ? ',' : ''),
      );
    const isList = variables[0]!.explode && operator !== '/' && operator !== '.';
    const raw = [...',!:'].filter(c => !(taken.join('') + (isList ? ',' : '')).includes(c)).join('');
    const set = operator === '+' || operator === '#' ? `[-ab/.,!:${stops}]` : `[-ab.${raw}]`;
    const separator = operator === '/' ? '/' : operator === '.' ? '.' : ',';
    if (operator === '') return variables[0]!.explode ? `(?:[-ab.,${raw}]+)` : `${set}+`;
    if (operator === '+') return `${set}+`;
    return variables[0]!.explode ? `(?:[${operator}]${set}*(?:${separator}${set}*)*)?` : `(?:[${operator}]${set}*)?`;
  });
  return new RegExp(`^${source.join('')}$`);
}

describe('the work of a match', () => {
  const planned = (text: string): { plan: MatchPlan; atoms: number } => {
    const parsed = parse(text);
    const made = 'parts' in parsed ? createMatchPlan(parsed.parts) : 'malformed';
    if (typeof made === 'string') throw new Error(made);
    return { plan: made, atoms: made.atoms.length };
  };
  const steps = (made: MatchPlan, uri: string) => {
    const work: SymbolCounter = { steps: 0 };
    match(made, uri, false, work);
    return work.steps;
  };

  // Among them the patterns of CVE-2026-0621: exploded lists before something that is not there.
  it.each<[string, (n: number) => string]>([
    ['{/x*}!', n => '/'.repeat(n)],
    ['a{/x*}/!', n => `a${'/a'.repeat(n / 2)}`],
    ['{x*}!', n => ','.repeat(n)],
    ['{x*}!{y*}!{z*}?', n => 'a,!'.repeat(n / 3)],
    ['{+a}/{+b}/{+c}/{+d}!?', n => '/'.repeat(n)],
    ['{+a}aaaaaaaaaaaaaaab{+b}', n => 'a'.repeat(n)],
    ['{+a}aaaaaaaaaaaaaaaa{+b}', n => 'a'.repeat(n)],
    ['x{?a*,b*}', n => `x?${'a=&'.repeat(n / 3)}`],
    ['x{;a*}!', n => `x;${'a;'.repeat(n / 2)}`],
    ['{a}.{b}.{c}.{d}.{e}', n => '.'.repeat(n)],
    ['{a}', n => '%41'.repeat(n / 3)],
  ])('grows at most linearly with the URI: %s', (text, uri) => {
    const { plan: made, atoms } = planned(text);
    const [small, large] = [uri(6_000), uri(60_000)];
    expect(steps(made, large)).toBeGreaterThan(0);
    expect(steps(made, large)).toBeLessThanOrEqual(11 * steps(made, small));
    // Two looks at each symbol by each atom, one to read it, one to take values out.
    expect(steps(made, large)).toBeLessThanOrEqual((2 * atoms + 2) * (large.length + 1));
  });

  it('stays within the bound for any template and URI', () => {
    const uri = fc.string({ unit: fc.constantFrom(...'ab/.,;=?&#-'), maxLength: 200 });
    fc.assert(
      fc.property(matchable, uri, (t, text) => {
        const { plan: made, atoms } = planned(t.source);
        expect(steps(made, text)).toBeLessThanOrEqual((2 * atoms + 2) * (text.length + 1));
      }),
      { numRuns: takeRuns(1000) },
    );
  });
});
