import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { call } from './fixtures/call.js';
import { parseUrl } from './matching/urls.js';
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

describe('an exact URI', () => {
  it.each(SPELLINGS)('is denied and asked about in the spelling %j', uri => {
    expect(judgeUri(deny({ resource: SECRET }), uri)).toBe('deny');
    expect(judgeUri(ask({ resource: SECRET }), uri)).toBe('ask');
    expect(judgeArgument(deny({ arguments: { url: SECRET } }), uri)).toBe('deny');
    expect(judgeArgument(ask({ arguments: { url: { in: [SECRET] } } }), uri)).toBe('ask');
  });

  it.each(SPELLINGS)('is denied when the rule itself has the spelling %j', uri => {
    expect(judgeUri(deny({ resource: uri }), SECRET)).toBe(uri.endsWith('#part') ? 'allow' : 'deny');
  });

  it.each(['file://localhost/etc/passwd', 'file:/etc/passwd', 'FILE:///etc/passwd', 'file:///etc/pass\nwd'])(
    'is denied in the spelling %j of a file',
    uri => expect(judgeUri(deny({ resource: 'file:///etc/passwd' }), uri)).toBe('deny'),
  );

  it('is denied for an unknown scheme with another user, fragment, query mark and final dot', () => {
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

  it('leaves other resources alone', () => {
    for (const uri of [
      'https://db.example.com/private/key',
      'https://db.example.com/private/keys/1',
      'https://db.example.com/private/keys?a',
      'https://db.example.com:8443/private/keys',
      'http://db.example.com/private/keys',
      'https://b.example.com/private/keys',
    ])
      expect(judgeUri(deny({ resource: SECRET }), uri)).toBe('allow');
  });

  it('with a fragment is denied with that fragment in any spelling', () => {
    const rule = deny({ resource: 'https://h/a#keys' });
    expect(judgeUri(rule, 'HTTPS://H:443/a#keys')).toBe('deny');
    expect(judgeUri(rule, 'https://h/a#other')).toBe('allow');
  });

  it('with wildcards is denied by its normal form', () => {
    for (const uri of ['HTTPS://EVIL.example.com:443/a', 'https://u@evil.example.com./a', 'https:evil.example.com/a'])
      expect(judgeUri(deny({ resource: 'https://*.example.com/*' }), uri)).toBe('deny');
  });
});

describe('any two texts that parse to the same resource', () => {
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
    const cut = Math.floor(text.length / 2);
    const tabbed = how.tab ? `${text.slice(0, cut)}\t\n${text.slice(cut)}` : text;
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
      { numRuns: 1000 },
    );
  });

  it('are denied alike, whatever they are made of', () => {
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
      { numRuns: 1000 },
    );
  });

  it('are allowed only as they are written, and by no reading that leads elsewhere', () => {
    const rule = createPolicy([allow({ resource: 'https://h/public/*' })]);
    const rules = (name: string) => rule.evaluate(call({ kind: 'resource', name, arguments: {} })).action;
    expect(rules('https://h/public/a')).toBe('allow');
    expect(rules('https://h/public/.\t./private')).toBe('ask');
    expect(rules('https://h/public/..\\private')).toBe('ask');
  });
});
