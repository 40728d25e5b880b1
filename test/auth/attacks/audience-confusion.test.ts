import { describe, expect, it } from 'vitest';
import { RESOURCE } from '../../../packages/tenon/src/auth/resource/fixtures/issuer.js';
import { served } from '../served.js';

/** A token that its issuer made for another resource is replayed here by who runs that one. CVE-2025-69196 is of this kind. */
describe('a token for another audience', () => {
  it.each([
    ['another server', 'https://other.example.com/mcp'],
    ['the origin', 'https://mcp.example.com'],
    ['with a slash more', `${RESOURCE}/`],
    ['in other letters', 'https://MCP.example.com/mcp'],
    ['with its port', 'https://mcp.example.com:443/mcp'],
    ['a path of it', `${RESOURCE}/admin`],
    ['a query of it', `${RESOURCE}?a=b`],
    ['encoded', 'https://mcp.example.com/%6dcp'],
    ['among others', ['https://other.example.com', `${RESOURCE}/`]],
    ['in one text', `https://other.example.com ${RESOURCE}`],
    ['in a nested list', [[RESOURCE]]],
    ['none', undefined],
    ['an empty list', []],
  ])(
    'is refused: %s [auth.token.audience-validated auth.token.no-other-tokens auth.token.server-own-resources-only security.token.issued-for-server-only]',
    async (_, aud) => {
      const { alone, bearer, ran } = await served();
      const { status, challenge } = await alone('tools/call', { name: 'read', arguments: {} }, await bearer({ aud }));
      expect([status, challenge?.params.error]).toEqual([401, 'invalid_token']);
      expect(ran).toEqual([]);
    },
  );

  it('is refused if it is an ID token of the same issuer', async () => {
    const { alone, bearer } = await served();
    const token = await bearer({ aud: 'client-1', nonce: 'n', at_hash: 'x' });
    expect((await alone('server/discover', {}, token)).status).toBe(401);
  });

  it('is not passed to a handler, even if accepted [auth.token.no-passthrough]', async () => {
    const { alone, server, bearer } = await served();
    let known: unknown;
    server.tools.set('look', {
      run: (_: unknown, ctx: { auth?: unknown; meta?: unknown }) => {
        known = [ctx.auth, ctx.meta, Object.values(ctx)];
        return 'looked';
      },
    } as never);
    const token = await bearer();
    expect((await alone('tools/call', { name: 'look', arguments: {} }, token)).status).toBe(200);
    const signature = token.authorization?.split('.')[2] as string;
    expect(signature.length).toBeGreaterThan(40);
    expect(JSON.stringify(known)).not.toContain(signature);
  });
});
