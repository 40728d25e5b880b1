import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composePolicy, isCspOrigin, readCsp } from './csp.js';

/** Reads the directives of a policy as a browser does. */
const readPolicy = (policy: string) =>
  Object.fromEntries(
    policy.split(';').map(directive => {
      const [name = '', ...sources] = directive.trim().split(/\s+/);
      return [name, sources];
    }),
  );

describe('isCspOrigin', () => {
  it.each(['https://a.example', 'http://localhost:3000', 'wss://a.example:1', 'https://*.example.com'])(
    'accepts %s',
    origin => expect(isCspOrigin(origin)).toBe(true),
  );

  it.each([
    '*',
    'https:',
    'https://*',
    'https://a.example/path',
    'https://a.example; script-src *',
    'https://a.example https://b.example',
    "'unsafe-eval'",
    "https://a.example'",
    'https://a.example,https://b.example',
    'https://user@a.example',
    'data:',
    'blob:',
    'javascript:alert(1)',
    'https://a.example\n',
    'https://a.*.example',
    '',
    3,
  ])('rejects %j [ext-apps.lib-csp-origins]', origin => {
    expect(isCspOrigin(origin)).toBe(false);
  });
});

describe('composePolicy', () => {
  it('blocks everything but inline code and data without declared origins [ext-apps.csp-default]', () => {
    expect(readPolicy(composePolicy({}))).toEqual({
      'default-src': ["'none'"],
      'script-src': ["'self'", "'unsafe-inline'"],
      'style-src': ["'self'", "'unsafe-inline'"],
      'img-src': ["'self'", 'data:'],
      'media-src': ["'self'", 'data:'],
      'font-src': ["'self'", 'data:'],
      'connect-src': ["'none'"],
      'frame-src': ["'none'"],
      'base-uri': ["'self'"],
      'object-src': ["'none'"],
      'form-action': ["'none'"],
    });
  });

  it('allows each declared origin where it belongs [ext-apps.csp-mapping]', () => {
    const policy = readPolicy(
      composePolicy({
        connectDomains: ['https://api.example'],
        resourceDomains: ['https://cdn.example'],
        frameDomains: ['https://frame.example'],
        baseUriDomains: ['https://base.example'],
      }),
    );
    expect(policy).toMatchObject({
      'connect-src': ['https://api.example'],
      'frame-src': ['https://frame.example'],
      'base-uri': ['https://base.example'],
    });
    for (const name of ['script-src', 'style-src', 'img-src', 'font-src', 'media-src'])
      expect(policy[name]).toContain('https://cdn.example');
  });

  it('has the same directives for everything that a server declares', () => {
    const names = Object.keys(readPolicy(composePolicy({})));
    const list = fc.array(
      fc.oneof(fc.string(), fc.constantFrom('https://a.example', "https://a.example; script-src 'unsafe-eval'")),
    );
    const declared = fc.record({
      connectDomains: list,
      resourceDomains: list,
      frameDomains: list,
      baseUriDomains: list,
    });
    fc.assert(
      fc.property(fc.oneof(declared, fc.anything()), value => {
        const policy = composePolicy(readCsp(value));
        expect(Object.keys(readPolicy(policy))).toEqual(names);
        expect(policy).not.toMatch(/unsafe-eval|\*|[\r\n,]/);
      }),
    );
  });
});

describe('readCsp', () => {
  it('leaves out and reports entries that are not origins', () => {
    const errors: string[] = [];
    const csp = readCsp(
      { connectDomains: ['https://a.example', '*'], frameDomains: 'https://b.example', other: [] },
      error => errors.push(error),
    );
    expect(csp).toEqual({ connectDomains: ['https://a.example'] });
    expect(errors).toEqual([
      'connectDomains: "*" is not an origin',
      'frameDomains: expected a list of at most 100 origins',
    ]);
  });
});
