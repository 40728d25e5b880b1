import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { takePart } from '../../../../../../test/support/extent.js';
import { createPolicy } from '../policy.js';
import { createQuotas } from '../quotas.js';
import { allow, ask, deny, type Rule } from '../rules.js';
import { countMatchSteps, deriveOnce, limitMatchWork } from './match-work.js';

const list = <Item>(count: number, create: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => create(index));

const call = (args: object, name = 'write') =>
  ({ kind: 'tool', server: 'files', name, arguments: { ...args }, principal: undefined, trusted: false }) as const;

const read = (uri: string) =>
  ({ kind: 'resource', server: 'files', name: uri, arguments: {}, principal: undefined, trusted: false }) as const;

const decide = (rules: readonly Rule[], request: ReturnType<typeof call> | ReturnType<typeof read>) =>
  createPolicy(rules, { fallback: 'allow' }).evaluate(request);

describe('limitMatchWork', () => {
  it('ends an evaluation at its limit', () => {
    const count = (steps: number) =>
      limitMatchWork(
        () => {
          countMatchSteps(steps);
          return 'done';
        },
        () => 'limit',
        100,
      );
    expect(count(100)).toBe('done');
    expect(count(101)).toBe('limit');
  });

  it('counts each evaluation on its own, also inside of another', () => {
    const inner = () =>
      limitMatchWork(
        () => countMatchSteps(90),
        () => undefined,
        100,
      );
    expect(
      limitMatchWork(
        () => {
          inner();
          inner();
          countMatchSteps(90);
          return 'done';
        },
        () => 'limit',
        100,
      ),
    ).toBe('done');
    expect(() => countMatchSteps(1e9)).not.toThrow();
  });

  it('passes on other errors', () => {
    const fail = () => {
      throw new RangeError('other');
    };
    expect(() => limitMatchWork(fail, () => undefined)).toThrow('other');
  });
});

describe('deriveOnce', () => {
  it('derives the value of a text once in an evaluation', () => {
    let derivations = 0;
    const derive = deriveOnce(1, text => text.length + 0 * ++derivations);
    limitMatchWork(
      () => [derive('ab'), derive('ab'), derive('abc')],
      () => [],
    );
    expect(derivations).toBe(2);
    limitMatchWork(
      () => derive('ab'),
      () => 0,
    );
    expect(derivations).toBe(3);
  });
});

describe('a policy', () => {
  const excessive: [string, Rule[], Parameters<typeof decide>[1]][] = [
    [
      'a long text and many patterns',
      list(1000, at => deny({ arguments: { text: `*e${at}*x*` } })),
      call({ text: 'secret '.repeat(150_000) }),
    ],
    [
      'patterns that go back',
      list(20, at => deny({ arguments: { text: `*${'a'.repeat(500)}b${at}` } })),
      call({ text: 'a'.repeat(9_000) }),
    ],
    [
      'an encoded URL',
      list(1000, at => deny({ arguments: { url: `*x${at}*` } })),
      call({ url: `https://h/${'a%252fb/'.repeat(45_000)}` }),
    ],
    [
      'an encoded URI of a resource',
      list(1000, at => deny({ resource: `*x${at}*` })),
      read(`x:${'%2561/'.repeat(9000)}`),
    ],
    [
      'paths with any number of steps',
      list(100, at => deny({ arguments: { [`**.a${at}.**.b.**.c`]: 'no' } })),
      call(Object.fromEntries(list(20_000, at => [`k${at}`, { v: at }]))),
    ],
    [
      'many values',
      list(100, at => deny({ arguments: { '*': `*a*b*${at}c` } })),
      call({ all: list(9_000, at => `abababab${at}`) }),
    ],
    [
      'a deep path and many folders',
      list(1000, at => deny({ arguments: { path: { under: `/work${at}` } } })),
      call({ path: '/a'.repeat(30_000) }),
    ],
    [
      'a text with many possible hosts',
      [deny({ arguments: { url: { host: 'example.com' } } })],
      call({ url: 'a:\\..\\b%5c'.repeat(6_500) }),
    ],
    [
      'long lists of names',
      list(100, () => deny({ tool: list(100, at => `*${at}b*${'a'.repeat(400)}c`) })),
      call({}, 'a1b'.repeat(2_000)),
    ],
    [
      'rules that allow',
      list(10, () => allow({ only: [...list(100, at => `*x${at}`).slice(1), 'key*'] })),
      call(Object.fromEntries(list(5_000, at => [`key${at}`, at]))),
    ],
  ];

  it.each(takePart(excessive, 0, 3))('denies a request at the limit of its work: %s', (_name, rules, request) => {
    const verdict = decide(rules, request);
    expect(verdict).toMatchObject({ action: 'deny', rule: undefined });
    expect(verdict.reason).toContain('9000000 steps');
  });

  it('compares a message of four million characters with plain rules', () => {
    const text = 'Lorem ipsum dolor sit amet. '.repeat(142_000);
    const rules = [...list(5, at => deny({ arguments: { text: `*DROP TABLE t${at}*` } })), ask({ tool: 'other' })];
    expect(decide(rules, call({ text })).action).toBe('allow');
    expect(decide(rules, call({ text: `${text}drop table t4;` }))).toMatchObject({ action: 'deny', rule: 5 });
  });

  it('compares plain requests with a thousand rules', () => {
    const folders = list(1000, at => deny({ arguments: { path: { under: `/work${at}` } } }));
    expect(decide(folders, call({ path: '/home/user/projects/a/src/index.ts' })).action).toBe('allow');
    const uris = list(1000, at => deny({ resource: `https://example.com/${at}/*` }));
    expect(decide(uris, read('https://example.com/a/b?x=1')).action).toBe('allow');
    expect(decide(uris, read('https://example.com/999/b?x=1'))).toMatchObject({ action: 'deny', rule: 1000 });
  });

  it('hides an entry that takes too long to compare', () => {
    const rules = list(1000, at => deny({ resource: `*x${at}*` }));
    const policy = createPolicy(rules, { fallback: 'allow' });
    expect(policy.isAlwaysDenied(read(`x:${'%2561/'.repeat(9000)}`))).toBe(true);
    expect(policy.isAlwaysDenied(read('x:a'))).toBe(false);
  });

  it('explains a rule that takes too long to compare', () => {
    const names = list(20, at => `*${'a'.repeat(500)}b${at}`);
    expect(createPolicy([deny({ tool: names })]).explain(call({}, 'a'.repeat(9_000)))).toContain('9000000 steps');
  });
});

describe('a quota', () => {
  it('counts a call that takes too long to compare', () => {
    const pattern = (at: number) => ({ text: `*${'a'.repeat(500)}b${at}` });
    const quotas = createQuotas(
      list(20, at => ({ per: [], calls: 1, window: 1000, match: { arguments: pattern(at) } })),
      { clock: fakeClock() },
    );
    const request = call({ text: 'a'.repeat(9_000) });
    expect(quotas.consume(request)).toBeUndefined();
    expect(quotas.consume(request)?.reason).toContain('no more than 1 calls');
    expect(quotas.consume(call({ text: 'b' }))).toBeUndefined();
  });
});
