import { join } from 'node:path';
import { expect, it } from 'vitest';
import { chooseTokenStore, getTokenStorePath } from './token-store-kind.js';

it.each([
  [undefined, undefined, 'file'],
  [undefined, 'keychain', 'keychain'],
  [undefined, '', 'file'],
  ['file', 'keychain', 'file'],
  ['keychain', undefined, 'keychain'],
] as const)('chooses the token store by option %s and variable %s: %s', (option, variable, kind) => {
  expect(chooseTokenStore({ env: { TENON_TOKEN_STORE: variable } }, option)).toBe(kind);
});

it('refuses an unknown value of the variable', () => {
  expect(() => chooseTokenStore({ env: { TENON_TOKEN_STORE: 'safe' } })).toThrow(
    'TENON_TOKEN_STORE: unknown token store. Set it to file or keychain.',
  );
});

it('separates encrypted tokens from plain ones', () => {
  const context = { env: { TENON_HOME: '/home/ada/tenon' } };
  expect(getTokenStorePath(context, 'tokens', 'file')).toBe(join('/home/ada/tenon', 'tokens.json'));
  expect(getTokenStorePath(context, 'tokens', 'keychain')).toBe(join('/home/ada/tenon', 'tokens.keychain.json'));
});
