import { expect, it } from 'vitest';
import { createIssuer, oauthProxy } from '../index.js';

const upstream = {
  authorizeUrl: 'https://idp.example/authorize',
  tokenUrl: 'https://idp.example/token',
  clientId: 'proxy',
  clientSecret: 'hush',
  scopes: ['openid'],
  identifyUser: () => 'ada',
};
const options = { url: 'https://proxy.example', upstream };
/** Calls a function as a program without types does. */
const call = (create: unknown, given: unknown): unknown => Reflect.apply(create as () => unknown, undefined, [given]);

it.each<unknown>([
  ...[undefined, null, 'x', [], {}, { ...options, upstream: undefined }, { ...options, upstream: null }],
  ...[
    { ...options, upstream: 'x' },
    { ...options, upsteam: upstream },
    { ...options, scopes: ['a'] },
    { ...options, url: 1 },
  ],
  ...Object.keys(upstream).map(name => ({ ...options, upstream: { ...upstream, [name]: 5 } })),
  { ...options, upstream: { ...upstream, clientMethod: 'none' } },
  { ...options, upstream: { ...upstream, parameters: 'x' } },
  { ...options, upstream: { ...upstream, redirectUri: 'x' } },
  { ...options, upstream: { ...upstream, scopes: ['openid email'] } },
  { ...options, clients: {} },
  { ...options, keys: [] },
  { ...options, keys: ['x'] },
  { ...options, clock: {} },
  { ...options, onError: 'x' },
])('createOAuthProxy refuses invalid options with a code, and shows no secret: %j', given => {
  expect(() => call(oauthProxy, given)).toThrow(
    expect.objectContaining({ code: 'auth/issuer-options', message: expect.not.stringContaining('hush') }),
  );
});

it('createOAuthProxy refuses invalid options of an issuer', () => {
  for (const given of [undefined, null, { url: 'https://a.example', user: {} }, { url: 'http://127.0.0.1', stores: 1 }])
    expect(() => call(createIssuer, given)).toThrow(expect.objectContaining({ code: 'auth/issuer-options' }));
  expect(() => oauthProxy(options)).not.toThrow();
});
