import { describe, expect, it } from 'vitest';
import { MAX_URI_LENGTH, type TemplateValues } from './expand.js';
import { parseTemplate } from './template.js';

const expand = (template: string, values: TemplateValues) => parseTemplate(template).expand(values);

/** The values of RFC 6570 §3.2. */
const RFC: TemplateValues = {
  count: ['one', 'two', 'three'],
  dom: ['example', 'com'],
  dub: 'me/too',
  hello: 'Hello World!',
  half: '50%',
  var: 'value',
  who: 'fred',
  base: 'http://example.com/home/',
  path: '/foo/bar',
  list: ['red', 'green', 'blue'],
  keys: { semi: ';', dot: '.', comma: ',' },
  v: '6',
  x: '1024',
  y: '768',
  empty: '',
  empty_keys: {},
  undef: null,
};

const EXAMPLES: Record<string, string> = {
  '3.2.1 variables': `
    {count} one,two,three
    {count*} one,two,three
    {/count} /one,two,three
    {/count*} /one/two/three
    {;count} ;count=one,two,three
    {;count*} ;count=one;count=two;count=three
    {?count} ?count=one,two,three
    {?count*} ?count=one&count=two&count=three
    {&count*} &count=one&count=two&count=three`,
  '3.2.2 simple': `
    {var} value
    {hello} Hello%20World%21
    {half} 50%25
    O{empty}X OX
    O{undef}X OX
    {x,y} 1024,768
    {x,hello,y} 1024,Hello%20World%21,768
    ?{x,empty} ?1024,
    ?{x,undef} ?1024
    ?{undef,y} ?768
    {var:3} val
    {var:30} value
    {list} red,green,blue
    {list*} red,green,blue
    {keys} semi,%3B,dot,.,comma,%2C
    {keys*} semi=%3B,dot=.,comma=%2C`,
  '3.2.3 reserved': `
    {+var} value
    {+hello} Hello%20World!
    {+half} 50%25
    {base}index http%3A%2F%2Fexample.com%2Fhome%2Findex
    {+base}index http://example.com/home/index
    O{+empty}X OX
    O{+undef}X OX
    {+path}/here /foo/bar/here
    here?ref={+path} here?ref=/foo/bar
    up{+path}{var}/here up/foo/barvalue/here
    {+x,hello,y} 1024,Hello%20World!,768
    {+path,x}/here /foo/bar,1024/here
    {+path:6}/here /foo/b/here
    {+list} red,green,blue
    {+list*} red,green,blue
    {+keys} semi,;,dot,.,comma,,
    {+keys*} semi=;,dot=.,comma=,`,
  '3.2.4 fragment': `
    {#var} #value
    {#hello} #Hello%20World!
    {#half} #50%25
    foo{#empty} foo#
    foo{#undef} foo
    {#x,hello,y} #1024,Hello%20World!,768
    {#path,x}/here #/foo/bar,1024/here
    {#path:6}/here #/foo/b/here
    {#list} #red,green,blue
    {#list*} #red,green,blue
    {#keys} #semi,;,dot,.,comma,,
    {#keys*} #semi=;,dot=.,comma=,`,
  '3.2.5 label': `
    {.who} .fred
    {.who,who} .fred.fred
    {.half,who} .50%25.fred
    www{.dom*} www.example.com
    X{.var} X.value
    X{.empty} X.
    X{.undef} X
    X{.var:3} X.val
    X{.list} X.red,green,blue
    X{.list*} X.red.green.blue
    X{.keys} X.semi,%3B,dot,.,comma,%2C
    X{.keys*} X.semi=%3B.dot=..comma=%2C
    X{.empty_keys} X
    X{.empty_keys*} X`,
  '3.2.6 path segments': `
    {/who} /fred
    {/who,who} /fred/fred
    {/half,who} /50%25/fred
    {/who,dub} /fred/me%2Ftoo
    {/var} /value
    {/var,empty} /value/
    {/var,undef} /value
    {/var,x}/here /value/1024/here
    {/var:1,var} /v/value
    {/list} /red,green,blue
    {/list*} /red/green/blue
    {/list*,path:4} /red/green/blue/%2Ffoo
    {/keys} /semi,%3B,dot,.,comma,%2C
    {/keys*} /semi=%3B/dot=./comma=%2C`,
  '3.2.7 path-style parameters': `
    {;who} ;who=fred
    {;half} ;half=50%25
    {;empty} ;empty
    {;v,empty,who} ;v=6;empty;who=fred
    {;v,bar,who} ;v=6;who=fred
    {;x,y} ;x=1024;y=768
    {;x,y,empty} ;x=1024;y=768;empty
    {;x,y,undef} ;x=1024;y=768
    {;hello:5} ;hello=Hello
    {;list} ;list=red,green,blue
    {;list*} ;list=red;list=green;list=blue
    {;keys} ;keys=semi,%3B,dot,.,comma,%2C
    {;keys*} ;semi=%3B;dot=.;comma=%2C`,
  '3.2.8 form-style query': `
    {?who} ?who=fred
    {?half} ?half=50%25
    {?x,y} ?x=1024&y=768
    {?x,y,empty} ?x=1024&y=768&empty=
    {?x,y,undef} ?x=1024&y=768
    {?var:3} ?var=val
    {?list} ?list=red,green,blue
    {?list*} ?list=red&list=green&list=blue
    {?keys} ?keys=semi,%3B,dot,.,comma,%2C
    {?keys*} ?semi=%3B&dot=.&comma=%2C`,
  '3.2.9 form-style query continuation': `
    {&who} &who=fred
    {&half} &half=50%25
    ?fixed=yes{&x} ?fixed=yes&x=1024
    {&x,y,empty} &x=1024&y=768&empty=
    {&x,y,undef} &x=1024&y=768
    {&var:3} &var=val
    {&list} &list=red,green,blue
    {&list*} &list=red&list=green&list=blue
    {&keys} &keys=semi,%3B,dot,.,comma,%2C
    {&keys*} &semi=%3B&dot=.&comma=%2C`,
};

describe.each(Object.entries(EXAMPLES))('RFC 6570 §%s [resources.templates.rfc6570]', (_, rows) => {
  const lines = rows.trim().split(/\s*\n\s*/);
  it.each(lines.map(line => line.split(' ')))('expands %s to %s', (template, uri) => {
    expect(expand(template!, RFC)).toBe(uri);
  });
});

describe('expand', () => {
  it('omits undefined values, also inside lists and objects', () => {
    expect(expand('a{?x,y*,z*}', { x: undefined, y: [undefined, 'b', null], z: { c: null, d: 'e' } })).toBe(
      'a?y=b&d=e',
    );
    expect(expand('{a}{/b*}{?c,d*}', { a: [], b: [], c: {}, d: {} })).toBe('');
    expect(expand('{x}', { x: [undefined, null] })).toBe('');
  });

  it('writes empty members as the operator demands', () => {
    expect(expand('{?x*}{;x*}{/x*}', { x: ['', 'a'] })).toBe('?x=&x=a;x;x=a//a');
    expect(expand('{?x*}{;x*}{/x*}', { x: { k: '' } })).toBe('?k=;k/k=');
    expect(expand('{?x}{;x}', { x: [''] })).toBe('?x=;x');
  });

  it('reads own properties only', () => {
    expect(expand('{constructor}{__proto__}{toString}', {})).toBe('');
    expect(expand('{__proto__}', JSON.parse('{"__proto__":"x"}'))).toBe('x');
  });

  it('accepts numbers and booleans', () => {
    expect(expand('{a,b,c*}', { a: 6, b: false, c: [-1.5, true] })).toBe('6,false,-1.5,true');
  });

  it('counts a prefix in characters, and an unencoded triplet as one', () => {
    expect(expand('{x:1},{x:2},{+x:2}', { x: '𝄞ü€' })).toBe('%F0%9D%84%9E,%F0%9D%84%9E%C3%BC,%F0%9D%84%9E%C3%BC');
    expect(expand('{x:2}', { x: '%2Fa' })).toBe('%252');
    expect(expand('{+x:2}', { x: '%2Fab' })).toBe('%2Fa');
    expect(expand('{+x:2}', { x: '%C3%BC%E2%82%ACa' })).toBe('%C3%BC%E2%82%AC');
    expect(expand('{+x:2}', { x: '%2' })).toBe('%252');
    expect(expand('{#x:1}', { x: '\n' })).toBe('#%0A');
  });

  it('keeps triplets where reserved characters are kept, and encodes them elsewhere', () => {
    expect(expand('{+id}{#id}{id}', { id: 'a%2F%foo' })).toBe('a%2F%25foo#a%2F%25fooa%252F%25foo');
  });

  it.each<[string, unknown]>([
    ['{x}', '\ud800'],
    ['{+x}', '\udc00'],
    ['{x}', { a: ['b'] }],
    ['{x*}', [['b']]],
    ['{x}', () => 'a'],
    ['{x:1}', ['a']],
    ['{+x}', 'a'.repeat(MAX_URI_LENGTH + 1)],
  ])('refuses a value that the template cannot hold: %s', (template, x) => {
    expect(() => expand(template, { x } as TemplateValues)).toThrow(
      expect.objectContaining({ name: 'TenonError', code: 'template/value' }),
    );
  });
});
