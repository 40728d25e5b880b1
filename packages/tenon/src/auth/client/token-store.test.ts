import { describe, expect, it } from 'vitest';
import { memoryTokenStore, scopeTokenStore } from './token-store.js';

describe('scopeTokenStore', () => {
  it('separates users', async () => {
    const vault = memoryTokenStore();
    const [ann, bob] = [scopeTokenStore(vault, 'ann'), scopeTokenStore(vault, 'bob')];
    await ann.update(['tokens', 'https://issuer.example'], async () => ({ next: { token: 'a' }, result: undefined }));
    expect(await ann.get(['tokens', 'https://issuer.example'])).toEqual({ token: 'a' });
    expect(await bob.get(['tokens', 'https://issuer.example'])).toBeUndefined();
    expect(await vault.get(['tokens', 'https://issuer.example'])).toBeUndefined();
  });

  it('separates users of any name', async () => {
    const vault = memoryTokenStore();
    await scopeTokenStore(vault, 'a').update(['user', 'b'], async () => ({ next: { of: 'a' }, result: undefined }));
    expect(await scopeTokenStore(vault, 'a","user').get(['b'])).toBeUndefined();
  });
});
