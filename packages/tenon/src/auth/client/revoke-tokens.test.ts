import { describe, expect, it } from 'vitest';
import { revokeTokens } from './revoke-tokens.js';

type Grant = Parameters<typeof revokeTokens>[2];
type Identity = NonNullable<Awaited<ReturnType<Grant['identifyClient']>>>;

const ISSUER = 'https://issuer.example.com';
const { signal } = new AbortController();

/** Revokes at an issuer that answers as told, and returns the token types of its requests. */
async function revoke({
  identified = true,
  endpoint = true,
  refresh = true,
  answers = {} as Record<string, Response>,
}) {
  const sent: string[] = [];
  const fetch = async (_: string | URL, { body }: { body?: unknown } = {}) => {
    const type = new URLSearchParams(String(body)).get('token_type_hint') ?? '';
    sent.push(type);
    return answers[type] ?? new Response(null, { status: 200 });
  };
  const metadata = { issuer: ISSUER, ...(endpoint ? { revocation_endpoint: `${ISSUER}/revoke` } : {}) };
  const target = {
    issuer: ISSUER,
    authorizationServer: { metadata },
    fetch,
    guard: { allowsPlainHttp: false },
  };
  const identity: Identity = {
    client: { client_id: 'app' },
    auth: (_server, _client, body) => body.set('client_id', 'app'),
  };
  const grant: Pick<Grant, 'identifyClient'> = { identifyClient: async () => (identified ? identity : undefined) };
  const tokens = { access: 'a', ...(refresh ? { refresh: 'r' } : {}) };
  const outcome = await revokeTokens(target as never, tokens as never, grant as Grant, signal).then(
    () => 'revoked',
    error => error.code,
  );
  return { outcome, sent };
}

const refusal = (error: string) =>
  new Response(JSON.stringify({ error }), { status: 400, headers: { 'content-type': 'application/json' } });

describe('revokeTokens', () => {
  it('revokes the refresh token first, then the access token', async () => {
    expect(await revoke({})).toEqual({ outcome: 'revoked', sent: ['refresh_token', 'access_token'] });
    expect(await revoke({ refresh: false })).toEqual({ outcome: 'revoked', sent: ['access_token'] });
  });

  it('sends nothing where revocation is not offered, or while the client is unknown', async () => {
    expect(await revoke({ endpoint: false })).toEqual({ outcome: 'revoked', sent: [] });
    expect(await revoke({ identified: false })).toEqual({ outcome: 'revoked', sent: [] });
  });

  it('accepts that an access token cannot be revoked, only beside a refresh token', async () => {
    const answers = () => ({ access_token: refusal('unsupported_token_type') });
    expect((await revoke({ answers: answers() })).outcome).toBe('revoked');
    expect((await revoke({ answers: answers(), refresh: false })).outcome).toBe('auth/not-revoked');
  });

  it.each(['refresh_token', 'access_token'])('reports a refusal of the %s', async type => {
    expect((await revoke({ answers: { [type]: refusal('invalid_client') } })).outcome).toBe('auth/not-revoked');
  });
});
