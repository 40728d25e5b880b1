import { parseUrl } from '@tenon/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../../test/support/extent.js';
import { call } from './fixtures/call.js';
import { createPolicy } from './policy.js';
import { allow, ask, deny, type Rule } from './rules.js';

const judgeUri = (rule: Rule, uri: string) =>
  createPolicy([rule], { fallback: 'allow' }).evaluate(call({ kind: 'resource', name: uri, arguments: {} })).action;
const judgeArgument = (rule: Rule, url: string) =>
  createPolicy([rule], { fallback: 'allow' }).evaluate(call({ arguments: { url } })).action;

/** The resource that a text names by the URL standard: nothing of it is sent to a server beyond this. */
function identify(text: string): string | undefined {
  const url = parseUrl(text);
  if (url === undefined) return undefined;
  url.hash = '';
  url.username = '';
  url.password = '';
  if (url.search === '') url.search = '';
  url.hostname = url.hostname.replace(/\.+$/, '');
  return url.href;
}

const SECRET = 'https://db.example.com/private/keys';
const SPELLINGS = [
  'HTTPS://db.example.com/private/keys',
  'https://DB.Example.com/private/keys',
  'https://db.example.com:443/private/keys',
  'https://db.example.com/private/keys?',
  'https://db.example.com/private/keys#',
  'https://db.example.com/private/keys#part',
  'https://db.example.com/private/keys?#part',
  'https://ann@db.example.com/private/keys',
  'https://ann:pw@db.example.com/private/keys',
  'https://db.example.com./private/keys',
  'https://db.example.com.:443/private/keys',
  'https:/db.example.com/private/keys',
  'https:db.example.com/private/keys',
  'https:\\\\db.example.com\\private\\keys',
  'https://db.example.com/private/../private/keys',
  'https://db.example.com/private/%2e%2e/private/keys',
  'https://db.example.com/priv\tate/keys',
  'https://db.example.com/private\n/keys',
  'ht\ntps://db.exam\tple.com/private/keys',
  ' https://db.example.com/private/keys ',
  '\u0000https://db.example.com/private/keys',
  'https://d%62.example.com/private/keys',
  'https://db.ex\u{ff41}mple.com/private/keys',
  'https://db\u3002example.com/private/keys',
  'https://db.example.com/private/ke%79s',
];

describe('a rule with an exact URI', () => {
  it.each(SPELLINGS)('denies and asks for the spelling %j', uri => {
    expect(judgeUri(deny({ resource: SECRET }), uri)).toBe('deny');
    expect(judgeUri(ask({ resource: SECRET }), uri)).toBe('ask');
    expect(judgeArgument(deny({ arguments: { url: SECRET } }), uri)).toBe('deny');
    expect(judgeArgument(ask({ arguments: { url: { in: [SECRET] } } }), uri)).toBe('ask');
  });

  it.each(SPELLINGS)('denies when the rule itself has the spelling %j', uri => {
    expect(judgeUri(deny({ resource: uri }), SECRET)).toBe(uri.endsWith('#part') ? 'allow' : 'deny');
  });

  it.each([
    ...['file://localhost/etc/passwd', 'file:/etc/passwd', 'FILE:///etc/passwd', 'file:///etc/pass\nwd'],
    ...['file:///etc/passwd?x=1', 'file:///etc/passwd#x', 'file:///etc/passwd?x#y', 'file:///etc/passwd?'],
    ...['file://127.0.0.1/etc/passwd', 'file://LOCALHOST/etc/passwd?x=1', 'file:////etc//passwd', 'file:etc/passwd'],
    ...['file:///etc/passwd/', 'file:///etc/passwd.', 'file:///etc/passwd%20', 'file:///etc/passwd::$DATA'],
    ...['file:///etc/%70asswd', 'file:///etc/%2570asswd?x', 'file:///etc/./passwd', 'file:///a/../etc/passwd#'],
    ...['file:\\\\\\etc\\passwd', 'file:///etc%2Fpasswd', 'file:///etc/passwd%00.txt', 'file:///etc/passwd%3Fx=1'],
  ])('denies the spelling %j of a file', uri => {
    expect(judgeUri(deny({ resource: 'file:///etc/passwd' }), uri)).toBe('deny');
    expect(judgeUri(ask({ resource: 'file:///etc/*' }), uri)).toBe('ask');
    expect(judgeUri(deny({ resource: { exact: 'file:///etc/passwd' } }), uri)).toBe('deny');
    expect(judgeUri(deny({ name: 'file:///etc/passwd' }), uri)).toBe('deny');
  });

  it('denies any query and fragment, unless the rule has a query', () => {
    expect(judgeUri(deny({ resource: SECRET }), `${SECRET}?a`)).toBe('deny');
    expect(judgeUri(deny({ resource: SECRET }), `${SECRET}/?a#b`)).toBe('deny');
    expect(judgeUri(deny({ resource: `${SECRET}?a` }), `${SECRET}?b`)).toBe('allow');
    expect(judgeUri(deny({ resource: `${SECRET}?a` }), `${SECRET}?a#b`)).toBe('deny');
  });

  it('does not allow an ending that servers may ignore', () => {
    const judge = (resource: string, name: string) =>
      createPolicy([allow({ resource })]).evaluate(call({ kind: 'resource', name, arguments: {} })).action;
    for (const uri of ['file:///work/secret.txt?x.md', 'file:///work/secret.txt#x.md', 'file:///work/secret%2etxt?.md'])
      expect([uri, judge('file:///work/*.md', uri)]).toEqual([uri, 'ask']);
    expect(judge('https://h/*.md', 'https://h/secret?x.md')).toBe('ask');
    expect(judge('https://h/*.md', 'https://h/a.md')).toBe('allow');
    expect(judge('https://h/a?v=*', 'https://h/a?v=1')).toBe('allow');
  });

  const ADDRESSES = [
    'http://127.0.0.1/x',
    'http://[::ffff:127.0.0.1]/x',
    'http://[::ffff:7f00:1]/x',
    'http://0x7f.1/x',
  ];
  ADDRESSES.push('http://2130706433/x', 'http://0177.0.0.1/x', 'http://127.1./x', 'HTTP://127.0.0.1:80/x?y#z');
  ADDRESSES.push('http://[::127.0.0.1]/x', 'http://[64:ff9b::127.0.0.1]/x', 'http://\uff11\uff12\uff17.0.0.1/x');

  it.each(ADDRESSES)('denies its address in the spelling %j', uri => {
    for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', '0x7f.1', '2130706433', '127.*']) {
      expect([host, judgeUri(deny({ resource: { host } }), uri)]).toEqual([host, 'deny']);
      expect([host, judgeArgument(ask({ arguments: { url: { host } } }), uri)]).toEqual([host, 'ask']);
    }
    expect(judgeUri(deny({ resource: 'http://127.0.0.1/*' }), uri)).toBe('deny');
    expect(judgeUri(deny({ resource: 'http://[::ffff:127.0.0.1]/x' }), uri)).toBe('deny');
  });

  it('denies its host in any form', () => {
    const rule = deny({ resource: { host: ['xn--bcher-kva.example', '[fe80::1]'] } });
    for (const uri of [
      'https://b\u00fccher.example./',
      'https://B\u00dcCHER.example/',
      'https://XN--BCHER-KVA.example/',
    ])
      expect(judgeUri(rule, uri)).toBe('deny');
    for (const uri of ['http://[fe80::1%25eth0]/', 'http://[FE80:0:0:0:0:0:0:1]:8080/'])
      expect(judgeUri(rule, uri)).toBe('deny');
    for (const host of ['::ffff:127.0.0.1', '::1', '127.0.0.1:8080'])
      expect(judgeArgument(deny({ arguments: { url: { host: ['127.0.0.1', '[::1]'] } } }), host)).toBe('deny');
    expect(judgeUri(deny({ resource: { host: '127.0.0.1' } }), 'http://127.0.0.2/')).toBe('allow');
  });

  it.each([
    'file://user@localhost/etc/passwd',
    'file://user:pass@localhost/etc/passwd?x',
    'file:///proc/self/root/etc/passwd',
    'file:///proc/1/root/etc/passwd',
    'file:///private/etc/passwd',
    'file:///%70roc/self/root/etc/passwd#a',
  ])('denies a file with a user in its URL, or behind a link of the system: %s', uri => {
    expect(judgeUri(deny({ resource: 'file:///etc/passwd' }), uri)).toBe('deny');
    expect(judgeUri(deny({ resource: 'file:///etc/shadow' }), uri)).toBe('allow');
  });

  it('compares long texts quickly', () => {
    const value = 'a'.repeat(4_000_000);
    const stars = `*${'a'.repeat(400)}b`;
    expect(judgeArgument(deny({ arguments: { url: stars } }), value)).toBe('deny');
    expect(
      createPolicy([allow({ arguments: { url: stars } })]).evaluate(call({ arguments: { url: value } })).action,
    ).toBe('ask');
    expect(judgeArgument(deny({ arguments: { url: 'file:///etc/passwd' } }), value)).toBe('allow');
    expect(judgeArgument(deny({ arguments: { url: 'file:///etc/passwd' } }), `file:///etc/passwd?${value}`)).toBe(
      'deny',
    );
  });

  it('denies for an unknown scheme another user, fragment, query mark and final dot', () => {
    const rule = deny({ resource: 'db://main/users' });
    for (const uri of [
      'db://main/users#a',
      'db://x@main/users',
      'db://main/users?',
      'DB://main/users',
      'db://main./users',
    ])
      expect(judgeUri(rule, uri)).toBe('deny');
  });

  it('ignores other resources', () => {
    for (const uri of [
      'https://db.example.com/private/key',
      'https://db.example.com/private/keys/1',
      'https://db.example.com:8443/private/keys',
      'http://db.example.com/private/keys',
      'https://b.example.com/private/keys',
    ])
      expect(judgeUri(deny({ resource: SECRET }), uri)).toBe('allow');
  });

  it('denies its fragment in any spelling', () => {
    const rule = deny({ resource: 'https://h/a#keys' });
    expect(judgeUri(rule, 'HTTPS://H:443/a#keys')).toBe('deny');
    expect(judgeUri(rule, 'https://h/a#other')).toBe('allow');
  });

  it('denies with wildcards the normal form', () => {
    for (const uri of ['HTTPS://EVIL.example.com:443/a', 'https://u@evil.example.com./a', 'https:evil.example.com/a'])
      expect(judgeUri(deny({ resource: 'https://*.example.com/*' }), uri)).toBe('deny');
  });
});

describe('two texts that parse to the same resource', () => {
  const part = fc.stringMatching(/^[A-Za-z0-9_~-]{1,6}$/);
  const label = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
  const scheme = fc.constantFrom('https', 'http', 'wss', 'ftp', 'file', 'db', 'memo');
  const ports: Record<string, string> = { https: '443', http: '80', wss: '443', ftp: '21' };
  const flag = fc.boolean();
  const spelling = fc.record({
    upper: flag,
    port: flag,
    query: flag,
    hash: flag,
    user: flag,
    dot: flag,
    tab: flag,
    space: flag,
    dots: flag,
  });
  const resource = fc.record({
    scheme,
    host: fc.array(label, { minLength: 1, maxLength: 3 }),
    path: fc.array(part, { minLength: 1, maxLength: 3 }),
  });

  function spell(
    { scheme, host, path }: { scheme: string; host: string[]; path: string[] },
    how: Record<string, boolean>,
  ): string {
    const isFile = scheme === 'file';
    const name = isFile ? '' : host.join('.');
    const port = how.port && ports[scheme] ? `:${ports[scheme]}` : '';
    const user = how.user && !isFile ? 'ann:x@' : '';
    const shown = how.upper && ports[scheme] ? name.toUpperCase() : isFile && how.upper ? 'localhost' : name;
    const segments = how.dots ? ['x', '..', ...path] : path;
    const text = `${how.upper ? scheme.toUpperCase() : scheme}://${user}${shown}${how.dot && name ? '.' : ''}${port}/${segments.join('/')}${how.query ? '?' : ''}${how.hash ? '#x' : ''}`;
    const position = Math.floor(text.length / 2);
    const tabbed = how.tab ? `${text.slice(0, position)}\t\n${text.slice(position)}` : text;
    return how.space ? ` ${tabbed}\u0001` : tabbed;
  }

  it('are denied and asked about alike', () => {
    fc.assert(
      fc.property(resource, spelling, (what, how) => {
        const [plain, other] = [spell(what, {}), spell(what, how)];
        expect(identify(other)).toBe(identify(plain));
        for (const make of [deny, ask]) {
          expect(judgeUri(make({ resource: plain }), other)).toBe(make({}).action);
          expect(judgeArgument(make({ arguments: { url: plain } }), other)).toBe(make({}).action);
        }
      }),
      { numRuns: takeRuns(1000) },
    );
  });

  it('are denied alike when a file is spelled in another way', () => {
    const encode = (text: string, at: number) =>
      text.replace(/[a-z0-9]/gi, (char, index) => (index % 3 === at ? `%${char.charCodeAt(0).toString(16)}` : char));
    const respellings: ((path: string) => string)[] = [
      path => encode(path, 1),
      path => encode(encode(path, 0).replaceAll('%', '%25'), 2),
      path => path.replaceAll('/', '//'),
      path => path.replaceAll('/', '/x/../'),
      path => path.replaceAll('/', '/./'),
      path => path.replaceAll('/', '\\'),
      path => `${path}/`,
      path => path.toUpperCase(),
    ];
    const prefix = fc.constantFrom('file://', 'FILE://', 'file://localhost', ' file://', 'fi\tle://');
    const suffix = fc.constantFrom('', '?', '#', '?a=b', '#a', '?a#b', '?/../b');
    const spelled = fc.tuple(prefix, fc.array(fc.constantFrom(...respellings), { maxLength: 2 }), suffix);
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), spelled, (path, [start, changes, end]) => {
        const plain = `/${path.join('/')}`;
        const other = start + changes.reduce((text, change) => change(text), plain) + end;
        expect([other, judgeUri(deny({ resource: `file://${plain}` }), other)]).toEqual([other, 'deny']);
      }),
      { numRuns: takeRuns(1000) },
    );
  });

  it('are denied alike for any text', () => {
    const anything = fc.oneof(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc.string({ unit: 'grapheme' }).map(text => `https://h/${text}`),
    );
    const noise = fc.array(fc.tuple(fc.nat(), fc.constantFrom('\t', '\n', '\r')), { maxLength: 3 });
    fc.assert(
      fc.property(anything, noise, (text, cuts) => {
        const same = cuts.reduce(
          (so, [at, char]) => so.slice(0, at % (so.length + 1)) + char + so.slice(at % (so.length + 1)),
          text,
        );
        const id = identify(text);
        fc.pre(id !== undefined && identify(same) === id && id.length <= 512 && text.length <= 512);
        expect(judgeUri(deny({ resource: id as string }), same)).toBe('deny');
        expect(judgeUri(deny({ resource: text.split('#')[0] as string }), same)).toBe('deny');
      }),
      { numRuns: takeRuns(1000) },
    );
  });

  it('are allowed only as written, and by no reading that leads elsewhere', () => {
    const rule = createPolicy([allow({ resource: 'https://h/public/*' })]);
    const rules = (name: string) => rule.evaluate(call({ kind: 'resource', name, arguments: {} })).action;
    expect(rules('https://h/public/a')).toBe('allow');
    expect(rules('https://h/public/.\t./private')).toBe('ask');
    expect(rules('https://h/public/..\\private')).toBe('ask');
  });
});
