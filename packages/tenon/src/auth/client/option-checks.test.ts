import { expect, it } from 'vitest';
import { keychainTokenStore } from '../../runtimes/node/auth/keychain-token-store.js';
import { loopbackRedirect } from '../../runtimes/node/auth/loopback-redirect.js';
import { fileTokenStore } from '../../runtimes/node/auth/token-store-file.js';
import { bearer } from './bearer.js';
import { clientCredentials } from './grants/client-credentials.js';
import { enterpriseManaged } from './grants/enterprise-managed.js';
import { workloadIdentity } from './grants/workload-identity.js';
import { manualRedirect } from './sign-in/redirect.js';
import { signIn } from './sign-in/sign-in.js';

/** Functions with options of a wrong type, as programs in JavaScript pass them. */
const functions = {
  signIn,
  clientCredentials: (options: object) => clientCredentials({ id: 'a', secret: 'b', ...options }),
  workloadIdentity: (options: object) => workloadIdentity({ assertion: 'a', ...options }),
  enterpriseManaged: (options: object) =>
    enterpriseManaged({ idp: { issuer: 'https://a.example' }, client: { id: 'a' }, subject: 'a', ...options } as never),
  loopbackRedirect,
  bearer: (options: object) => bearer('a', options),
  manualRedirect: (options: object) => manualRedirect({ ask: () => 'a', ...options }),
  keychainTokenStore: (options: object) => keychainTokenStore('/tmp/tokens.json', options),
  fileTokenStore: (options: object) => fileTokenStore('/tmp/tokens.json', options),
};

it.each<[name: keyof typeof functions, option: string, value: unknown]>([
  ['signIn', 'redirect', {}],
  ['signIn', 'tokenStore', {}],
  ['signIn', 'scopes', [5]],
  ['signIn', 'client', { id: 5 }],
  ['signIn', 'limits/maxSignIns', { maxSignIns: Number.NaN }],
  ['signIn', 'limits/window', { window: Number.NaN }],
  ['signIn', 'limits/windw', { windw: 1 }],
  ['signIn', 'dpop', 'no'],
  ['signIn', 'offline', 'no'],
  ['signIn', 'allowPrivate', 'no'],
  ['signIn', 'allowInsecure', 'no'],
  ['signIn', 'confirmIssuer', true],
  ['signIn', 'fetch', 'fetch'],
  ['signIn', 'clock', {}],
  ['clientCredentials', 'id', 5],
  ['clientCredentials', 'secret', 5],
  ['clientCredentials', 'allowInsecure', 'no'],
  ['workloadIdentity', 'assertion', undefined],
  ['workloadIdentity', 'allowPrivate', 'no'],
  ['enterpriseManaged', 'allowPrivate', 'no'],
  ['loopbackRedirect', 'port', 70_000],
  ['loopbackRedirect', 'path', 'callback'],
  ['loopbackRedirect', 'path', '/callback?a'],
  ['loopbackRedirect', 'host', '0.0.0.0'],
  ['loopbackRedirect', 'open', 'firefox'],
  ['loopbackRedirect', 'timeout', Number.NaN],
  ['loopbackRedirect', 'clock', {}],
  ['bearer', 'allowInsecure', 'no'],
  ['manualRedirect', 'ask', 'firefox'],
  ['manualRedirect', 'uri', '/callback'],
  ['keychainTokenStore', 'service', ''],
  ['keychainTokenStore', 'keychain', {}],
  ['keychainTokenStore', 'clock', {}],
  ['fileTokenStore', 'clock', {}],
])('%s refuses the option `%s`: %j', (name, option, value) => {
  const [member = ''] = option.split('/');
  expect(() => functions[name](Object.fromEntries([[member, value]]))).toThrow(
    expect.objectContaining({
      code: 'options/invalid',
      message: expect.stringMatching(new RegExp(`options of ${name}: invalid \`${option}`)),
    }),
  );
});

it('bearer refuses a token that is neither a text nor a function', () => {
  expect(() => bearer(5 as never)).toThrow(expect.objectContaining({ code: 'options/invalid' }));
});

it.each(['', 'https://a.example/tokens', 5])('fileTokenStore and keychainTokenStore refuse the path %j', path => {
  expect(() => keychainTokenStore(path as string)).toThrow(expect.objectContaining({ code: 'options/invalid' }));
  expect(() => fileTokenStore(path as string)).toThrow(expect.objectContaining({ code: 'options/invalid' }));
});
