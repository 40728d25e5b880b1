import { createServer, type TenonError } from 'tenon';
import { describe, expect, it } from 'vitest';
import { createAnswers } from '../../versions/answers.js';
import { openCase } from '../../versions/matrix.js';

/** Keys of `_meta`, wherever it stands. */
function metaKeys(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const each of value) metaKeys(each, found);
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      if (name === '_meta' && typeof inner === 'object') for (const key of Object.keys(inner ?? {})) found.add(key);
      metaKeys(inner, found);
    }
  return found;
}

/** The labels of the prefix of a key: of `a.b/c`, a and b. */
const labels = (key: string) => (key.includes('/') ? key.slice(0, key.indexOf('/')).split('.') : []);

describe('members of _meta', () => {
  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const)(
    'contain no keys of this library under reserved prefixes, on %s [base.meta.reserved-prefix-domain-order]',
    async version => {
      const rig = await openCase({ transport: 'memory', version }, createAnswers());
      const { client, wire } = rig;
      for (const name of ['meta', 'logs', 'samples', 'formed', 'visits']) await client.callTool(name).catch(() => {});
      await client.callTool('works', { steps: 2 }, { onProgress: () => {} });
      for await (const _ of client.listTools());
      for await (const _ of client.listPrompts());
      for await (const { uri } of client.listResources()) await client.readResource(uri).catch(() => {});
      const keys = [...metaKeys(wire.crossings.map(({ value }) => value))];
      expect(keys).toContain('progressToken');
      const reserved = keys.filter(key =>
        labels(key).some(label => label === 'mcp' || label === 'modelcontextprotocol'),
      );
      expect(reserved).toEqual([]);
      await rig.close();
    },
  );
});

describe('the URI of a resource', () => {
  const offering = (uri: string) => () =>
    createServer({ name: 's', version: '1', resources: { [uri]: { read: () => 'x' } } as never });

  it.each([
    'note://a',
    'note://a/b?c=d&e[f'.replace('[', '%5B'),
    'note:a',
    'note:',
    'urn:isbn:0451450523',
    "note://ada@example.com:80/a%20b;c=1,2/(x)?q=~!$&'*+,;=:@/?#frag/?",
    'note://[2001:db8::7]:80/a',
    'file:///home/ada',
    'x-my.scheme+1://a',
  ])('accepts RFC 3986: %s [resources.uri.custom-rfc3986]', uri => {
    offering(uri)();
  });

  it.each([
    'note',
    '//note/a',
    '1note://a',
    'nöte://a',
    'note://a b',
    'note://ä',
    'note://a%2',
    'note://a%zz',
    'note://a\\b',
    'note://a"b',
    'note://a<b>',
    'note://a^b',
    'note://a|b',
    'note://a`b',
    'note://a#b#c',
    'note://a[b]',
    'note://a/[b]',
    'note://a\n',
    'note://a\u0000',
  ])('refuses everything else: %j [resources.uri.custom-rfc3986]', uri => {
    let error: TenonError | undefined;
    try {
      offering(uri)();
    } catch (thrown) {
      error = thrown as TenonError;
    }
    expect(error?.code).toBe('resource/uri');
  });

  it('refuses an invalid URI that is added later [resources.uri.custom-rfc3986]', () => {
    const server = createServer({ name: 's', version: '1', resources: {} });
    expect(() => server.resources.set('note://a b', { read: () => 'x' } as never)).toThrow(/invalid resource URI/);
  });
});
