import { describe, expect, it } from 'vitest';
import { MAX_URI_LENGTH } from './expand.js';
import { type MatchOptions, parseTemplate } from './template.js';

const match = (template: string, uri: string, options?: MatchOptions) => {
  const parsed = parseTemplate(template);
  expect(parsed.matchable).toBe(true);
  return parsed.match(uri, options);
};

describe('match', () => {
  it.each<[string, string, Record<string, string | string[]>]>([
    ['note://all', 'note://all', {}],
    ['', '', {}],
    ['note://{title}', 'note://a%20b', { title: 'a b' }],
    ['note://{title}', 'note://%C3%BC', { title: 'ü' }],
    ['{x,y}', '1024,768', { x: '1024', y: '768' }],
    ['{x*}', 'red,,blue', { x: ['red', '', 'blue'] }],
    ['{x,y*}', 'a,b,c', { x: 'a', y: ['b', 'c'] }],
    ['file:///{+path}', 'file:///a/b.txt?c#d', { path: 'a/b.txt?c#d' }],
    ['{+path*}', '/a,/b', { path: ['/a', '/b'] }],
    ['{+dir}/{name}', 'a/b/c', { dir: 'a/b', name: 'c' }],
    ['{name}.{ext}', 'a.tar.gz', { name: 'a.tar', ext: 'gz' }],
    ['{name}{.ext}', 'a.tar.gz', { name: 'a', ext: 'tar.gz' }],
    ['{name}{.ext}', 'a', { name: 'a' }],
    ['x{.a,b}', 'x.1.2', { a: '1', b: '2' }],
    ['www{.dom*}', 'www.example.com', { dom: ['example', 'com'] }],
    ['x{/a,b}', 'x/1/2', { a: '1', b: '2' }],
    ['x{/a,b}', 'x/1', { a: '1' }],
    ['x{/a,b}', 'x', {}],
    ['x{/a}', 'x/', { a: '' }],
    ['x{/a}/y', 'x/y', {}],
    ['x{/a}/y', 'x/y/y', { a: 'y' }],
    ['x{/path*}', 'x/a/b/', { path: ['a', 'b', ''] }],
    ['x{#f}', 'x#a/b?c', { f: 'a/b?c' }],
    ['x{#f,g}', 'x#a,b', { f: 'a', g: 'b' }],
    ['x{#f}', 'x', {}],
    ['x{;a,b}', 'x;b=1;a', { a: '', b: '1' }],
    ['x{;a*}/y', 'x;a=1;a=2/y', { a: ['1', '2'] }],
    ['x{?q,lang*}', 'x?lang=de&q=a%26b%2Fc&lang=en', { q: 'a&b/c', lang: ['de', 'en'] }],
    ['x{?q}', 'x', {}],
    ['x{?q}', 'x?q=', { q: '' }],
    ['x{?q}', 'x?q', { q: '' }],
    ['x?v=1{&q}', 'x?v=1&q=2', { q: '2' }],
    ['x{?q}{#f}', 'x#y', { f: 'y' }],
    ['x{?Stra%c3%9fe}', 'x?Stra%C3%9fe=1', { 'Stra%c3%9fe': '1' }],
    ['note://{title}/{+path}{?q,lang*}', 'note://t/a/b?q=1', { title: 't', path: 'a/b', q: '1' }],
    ['{+path}?a={a}', 'x?a=y', { path: 'x', a: 'y' }],
    ['caf%c3%a9/{x}', 'café/日本', { x: '日本' }],
    ['{a}-{b}.json', 'x-y-z.json.json', { a: 'x-y', b: 'z.json' }],
    ['{a}aab', 'aaaab', { a: 'aa' }],
    ['{a}aabaaa!{b}', 'xaabaaabaaa!y', { a: 'xaaba', b: 'y' }],
    ['{x}41', 'a%4141', { x: 'aA' }],
    ['note://{title}', 'note://C++', { title: 'C++' }],
    ['note://{title}', 'note://a:b@c', { title: 'a:b@c' }],
    ['note://{title}', 'note://2026-01-01T00:00:00Z', { title: '2026-01-01T00:00:00Z' }],
    ['note://{title}', "note://it's(1)!*", { title: "it's(1)!*" }],
    ['note://{title}', 'note://a,b;c=d&e$f', { title: 'a,b;c=d&e$f' }],
    ['note://{title}', 'note://a b', { title: 'a b' }],
    ['{+path}', 'a b', { path: 'a b' }],
    ['x{/a}', 'x/1,2', { a: '1,2' }],
    ['x{/a,b}', 'x/1:2/3 4', { a: '1:2', b: '3 4' }],
    ['x{.a,b}', 'x.1.2,3', { a: '1', b: '2,3' }],
    ['x{?q,r}', 'x?q=a:b c&r=d,e', { q: 'a:b c', r: 'd,e' }],
    ['x/{a}:{b}', 'x/1:2:3', { a: '1', b: '2:3' }],
    ['x/{a}{;b}', 'x/1,2;b=3', { a: '1,2', b: '3' }],
    ['{a}@{b}.json', 'x:y@z+1.json', { a: 'x:y', b: 'z+1' }],
    ['x://{a}/{b}', 'x://1,2/3,4', { a: '1,2', b: '3,4' }],
    ['x://{a}-{b}/{c}.txt', 'x://a-b,c/d,e.txt', { a: 'a', b: 'b,c', c: 'd,e' }],
    ['x/{a}{.b}', 'x/1,2.3', { a: '1,2', b: '3' }],
  ])('splits by %s the URI %s', (template, uri, values) => {
    expect(match(template, uri)).toEqual(values);
  });

  it.each([
    ['note://all', 'note://al'],
    ['note://all', 'note://all/'],
    ['note://{title}', 'note://'],
    ['note://{title}', 'note://a/b'],
    ['note://{title}', 'note://a?b'],
    ['note://{title}', 'Note://a'],
    ['note://{title}', 'note://a|b'],
    ['note://{title}', 'note://a"b'],
    ['note://{title}', 'note://a%2Fb'],
    ['note://{title}', 'note://a%5Cb'],
    ['note://{title}', 'note://a%00'],
    ['note://{title}', 'note://..'],
    ['note://{title}', 'note://%2E'],
    ['x{?q}', 'x?q=a+b'],
    ['{x,y}', 'a'],
    ['{x,y}', 'a,b,c'],
    ['{x,y}', 'a,'],
    ['{+path}{?q}', 'a?z=1'],
    ['{+path}', ''],
    ['x{/a,b}', 'x/1/2/3'],
    ['x{#f,g}', 'x,b'],
    ['x{#f,g}', 'x#a,b,c'],
    ['x{;a}', 'x;'],
    ['x{;a}', 'x;a=1;a=2'],
    ['x{?q}', 'x?'],
    ['x{?q}', 'x?q=1&'],
    ['x{?q}', 'x?q=1&q=2'],
    ['x{?q}', 'x?q=a=b'],
    ['x{?q}', 'x?q=a/b'],
    ['x{?q}', 'x?q=a+b'],
    ['x{?q}', 'x?Q=1'],
    ['x{?q*}', 'x?a=1'],
    ['x{?q}', 'x?__proto__=1'],
    ['{x}41', 'a%41'],
  ])('rejects by %s the URI %s', (template, uri) => {
    expect(match(template, uri)).toBeUndefined();
  });

  it.each(['%', '%2', '%zz', '%FF', '%C3', '%C0%AF', '%ED%A0%80', '\ud800', 'a%E0%80%80'])(
    'rejects malformed encoding: %j',
    text => {
      for (const template of ['{x}', '{+x}', '{x*}', 'a{?x}', 'a{/x*}']) {
        const uri = template.startsWith('a{?') ? `a?x=${text}` : template.startsWith('a') ? `a/${text}` : text;
        expect(match(template, uri, { allowUnsafe: true })).toBeUndefined();
      }
    },
  );

  it('returns a variable of any name as an own property', () => {
    const values = match('{__proto__}/{constructor}', 'a/b')!;
    expect(Object.entries(values)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
  });

  it('rejects a URI that is too long, counted with its encoding', () => {
    expect(match('{x}', 'a'.repeat(MAX_URI_LENGTH))).toBeDefined();
    expect(match('{x}', 'a'.repeat(MAX_URI_LENGTH + 1))).toBeUndefined();
    expect(match('{x}', '\u65e5'.repeat(MAX_URI_LENGTH / 2))).toBeUndefined();
  });
});

describe('path traversal', () => {
  it.each([
    ['note://{x}', 'note://..'],
    ['note://{x}', 'note://.'],
    ['note://{x}', 'note://%2e%2E'],
    ['note://{x}', 'note://..%2F..%2Fsecret'],
    ['note://{x}', 'note://a%2fb'],
    ['note://{x}', 'note://a%5Cb'],
    ['note://{x}', 'note://a%00.txt'],
    ['note://{x*}', 'note://a,..'],
    ['x{/p}', 'x/..'],
    ['x{/p*}', 'x/a/../b'],
    ['x{/p*}', 'x/a/%2e./b'],
    ['x{/p*}', 'x//etc/passwd'],
    ['x{.e}', 'x./'.replace('/', '%2F')],
    ['x{;v}', 'x;v=..'],
    ['file:///{+p}', 'file:///a/../b'],
    ['file:///{+p}', 'file:///..'],
    ['file:///{+p}', 'file:///a/%2e%2e'],
    ['file:///{+p}', 'file:///a%5C..%5Cb'],
    ['file:///{+p}', 'file:///a%00'],
    ['x{#f}', 'x#../a'],
    ['x{?q}', 'x?q=..%2Fa'],
    ['x{?q*}', 'x?q=a&q=%00'],
  ])('refuses by %s the URI %s unless allowed', (template, uri) => {
    expect(match(template, uri)).toBeUndefined();
    expect(match(template, uri, { allowUnsafe: true })).toBeDefined();
  });

  it.each([
    ['note://{x}', 'note://...'],
    ['note://{x}', 'note://a..b'],
    ['note://{x}', 'note://%252e%252e'],
    ['file:///{+p}', 'file:///a/..b/c../.d/./e'],
    ['x{?q}', 'x?q=and%2For'],
    ['x{?q}', 'x?q=.'],
  ])('accepts by %s the URI %s, which only resembles it', (template, uri) => {
    expect(match(template, uri)).toBeDefined();
  });
});
