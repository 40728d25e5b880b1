import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFakeServers, headersOf, refusal } from '../fixtures/world.js';
import { manualRedirect, parseAuthorizationResponse } from './redirect.js';
import { signIn } from './sign-in.js';

const URI = 'http://127.0.0.1:8765/callback';

describe('the redirect URI of a sign-in without a browser', () => {
  it('has a path for each authorization server if the client registers itself', async () => {
    const begin = async (options: { uri?: string }, issuerPath?: string) =>
      (await manualRedirect({ ask: () => '', ...options }).begin([], new AbortController().signal, issuerPath)).uri;
    expect(await begin({}, 'of-issuer')).toBe(`${URI}/of-issuer`);
    expect(await begin({})).toBe(URI);
    expect(await begin({ uri: 'https://me.example/back' }, 'of-issuer')).toBe('https://me.example/back');
  });
});

describe('parseAuthorizationResponse', () => {
  it.each([`${URI}?code=a&state=b`, ` ${URI}?code=a&state=b\n`, '?code=a&state=b', 'code=a&state=b'])(
    'accepts %j',
    given => {
      expect(Object.fromEntries(parseAuthorizationResponse(given, URI))).toEqual({ code: 'a', state: 'b' });
    },
  );

  it.each([
    'https://evil.example.com/callback?code=a',
    'http://127.0.0.1:8765/other?code=a',
    'http://127.0.0.1:1/callback?code=a',
    'hello',
    '',
  ])('refuses %j', given =>
    expect(() => parseAuthorizationResponse(given, URI)).toThrow(expect.objectContaining({ code: 'auth/callback' })),
  );

  it('throws only `auth/callback` for any text', () => {
    fc.assert(
      fc.property(fc.string(), text => {
        try {
          parseAuthorizationResponse(text, URI);
        } catch (error) {
          expect(error).toMatchObject({ code: 'auth/callback' });
        }
      }),
    );
  });

  it('accepts a response that the user pastes', async () => {
    const shown: string[] = [];
    const ask = (url: string) => {
      shown.push(url);
      const { searchParams } = new URL(url);
      return `${searchParams.get('redirect_uri')}?code=1&state=${searchParams.get('state')}`;
    };
    const auth = signIn({ redirect: manualRedirect({ ask }), fetch: createFakeServers().fetch });
    expect(await auth.handleRefusal(refusal())).toBe(true);
    expect(shown[0]).toMatch('https://as.example.com/authorize?');
    expect(await headersOf(auth)).toEqual({ authorization: 'Bearer access-1' });
  });
});
