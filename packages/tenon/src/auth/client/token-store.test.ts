import { describe, expect, it } from 'vitest';
import { memoryTokenStore, scopeTokenStore } from './token-store.js';

describe('scopeTokenStore', () => {
  it('separates users', async () => {
    const tokenStore = memoryTokenStore();
    const [ann, bob] = [scopeTokenStore(tokenStore, 'ann'), scopeTokenStore(tokenStore, 'bob')];
    await ann.update(['tokens', 'https://issuer.example'], async () => ({ next: { token: 'a' }, result: undefined }));
    expect(await ann.get(['tokens', 'https://issuer.example'])).toEqual({ token: 'a' });
    expect(await bob.get(['tokens', 'https://issuer.example'])).toBeUndefined();
    expect(await tokenStore.get(['tokens', 'https://issuer.example'])).toBeUndefined();
  });

  it('separates users of any name', async () => {
    const tokenStore = memoryTokenStore();
    await scopeTokenStore(tokenStore, 'a').update(['user', 'b'], async () => ({
      next: { of: 'a' },
      result: undefined,
    }));
    expect(await scopeTokenStore(tokenStore, 'a","user').get(['b'])).toBeUndefined();
  });
});
