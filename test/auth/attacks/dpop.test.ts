import { describe, expect, it } from 'vitest';
import { createHolder, RESOURCE } from '../../../packages/tenon/src/auth/resource/fixtures/issuer.js';
import { type Fields, served } from '../served.js';

/** A server and somebody with a bound token, whose requests can be overheard. */
async function overheard() {
  const on = await served();
  const holder = await createHolder(on.issuer.clock);
  const token = await on.issuer.token({ cnf: { jkt: holder.jkt } });
  const call = (headers: Fields) => on.alone('tools/call', { name: 'read', arguments: {} }, headers);
  const prove = async (claims: object = {}): Promise<Fields> => ({
    authorization: `DPoP ${token}`,
    dpop: await holder.proof(token, claims),
  });
  return { ...on, holder, token, call, prove };
}

/** RFC 9449, 11. */
describe('DPoP', () => {
  it('refuses a proof that was used before, also at another address [dpop.server-validates dpop.failure-401]', async () => {
    const { call, prove, send, ran } = await overheard();
    const headers = await prove();
    expect((await call(headers)).status).toBe(200);
    for (const again of [await call(headers), await send({ path: '/messages?sessionId=x', method: 'POST', headers })]) {
      expect([again.status, again.challenge?.scheme, again.challenge?.params.error]).toEqual([
        401,
        'dpop',
        'invalid_dpop_proof',
      ]);
    }
    expect(ran).toEqual(['read']);
  });

  it('accepts one of several concurrent uses of a proof', async () => {
    const { call, prove, ran } = await overheard();
    const headers = await prove();
    const all = await Promise.all(Array.from({ length: 20 }, () => call(headers)));
    expect(all.filter(({ status }) => status === 200).length).toBe(1);
    expect(ran).toEqual(['read']);
  });

  it('refuses a proof for another server or another address of this one [dpop.server-validates]', async () => {
    const { call, prove } = await overheard();
    for (const htu of [
      'https://evil.example.com/mcp',
      `${RESOURCE}/`,
      'http://mcp.example.com/mcp',
      'https://mcp.example.com/sse',
    ]) {
      expect((await call(await prove({ htu }))).status).toBe(401);
    }
  });

  it('refuses a proof that was made with another token', async () => {
    const { call, holder, token, issuer } = await overheard();
    const lesser = await issuer.token({ cnf: { jkt: holder.jkt }, scope: '' });
    const dpop = await holder.proof(lesser);
    expect((await call({ authorization: `DPoP ${token}`, dpop })).status).toBe(401);
  });

  it('refuses a stolen token without its key', async () => {
    const { call, token, issuer, ran } = await overheard();
    const thief = await createHolder(issuer.clock);
    const proof = await thief.proof(token);
    for (const headers of [
      { authorization: `Bearer ${token}` },
      { authorization: `Bearer ${token}`, dpop: proof },
      { authorization: `DPoP ${token}` },
      { authorization: `DPoP ${token}`, dpop: proof },
    ]) {
      expect((await call(headers)).status).toBe(401);
    }
    expect(ran).toEqual([]);
  });
});
