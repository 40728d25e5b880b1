import { memoryTokenStore } from 'tenon/auth';
import { expect, it } from 'vitest';
import { CallerSignIns } from './caller-sign-ins.js';

it('lists the sign-ins of callers by name, and revokes one in this process and in the store', async () => {
  const tokenStore = memoryTokenStore();
  const url = 'https://notes.example/mcp';
  const owner = JSON.stringify(['ann', '', 'https://issuer.example']);
  const user = JSON.stringify([owner, 'notes']);
  const set = (key: readonly string[], next: object) =>
    tokenStore.update(['user', user, ...key], async () => ({ next: { ...next }, result: undefined }));
  const issuer = 'https://as.example';
  await set(['server', url, 'client'], { issuer, resource: url });
  await set(['tokens', url, issuer, url, 'client'], { access: 'a', type: 'bearer', asked: [] });
  const signedOut: unknown[] = [];
  const callers = new CallerSignIns(tokenStore, { signOut: async (...given) => void signedOut.push(given) });
  const { signIns } = await callers.list();
  expect(signIns).toEqual([
    { id: expect.any(String), caller: { principal: 'ann' }, server: 'notes', url, clientId: 'client' },
  ]);
  // The authorization server does not exist, so that nothing can be revoked there.
  await expect(callers.revoke(signIns[0]?.id ?? '')).rejects.toMatchObject({ code: 'auth/not-revoked' });
  expect(signedOut).toEqual([['notes', { principal: 'ann', issuer: 'https://issuer.example' }]]);
  expect((await callers.list()).signIns).toEqual([]);
  await expect(callers.revoke('other')).rejects.toMatchObject({ code: 'console/unknown' });
});
