import { describe, expect, it } from 'vitest';
import { memoryVault, vaultOf } from './credentials.js';

describe('the parts of a vault', () => {
  it('are seen by their users alone', async () => {
    const vault = memoryVault();
    const [ann, bob] = [vaultOf(vault, 'ann'), vaultOf(vault, 'bob')];
    await ann.update(['tokens', 'https://issuer.example'], async () => ({ next: { token: 'a' }, result: undefined }));
    expect(await ann.get(['tokens', 'https://issuer.example'])).toEqual({ token: 'a' });
    expect(await bob.get(['tokens', 'https://issuer.example'])).toBeUndefined();
    expect(await vault.get(['tokens', 'https://issuer.example'])).toBeUndefined();
  });

  it('do not run into each other, whatever users are called', async () => {
    const vault = memoryVault();
    await vaultOf(vault, 'a').update(['user', 'b'], async () => ({ next: { of: 'a' }, result: undefined }));
    expect(await vaultOf(vault, 'a","user').get(['b'])).toBeUndefined();
  });
});
