import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from 'tenon';
import type { AuthExceptions } from 'tenon/auth';
import { afterEach, describe, expect, it } from 'vitest';
import type { DoctorReport } from './finding.js';
import { startFaultyServer } from './fixtures/faulty-server.js';
import { runDoctor } from './run-doctor.js';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

interface Chain {
  readonly challenge?: string;
  readonly resource?: (origin: string) => JsonObject;
  readonly issuer?: (origin: string) => JsonObject;
  /** Status of the answer to a token that nobody issued. */
  readonly tokenStatus?: number;
  readonly authExceptions?: AuthExceptions;
}

/** Examines a server that answers requests without a token with 401. */
async function examineChain({
  challenge,
  resource,
  issuer,
  tokenStatus = 401,
  authExceptions,
}: Chain): Promise<DoctorReport> {
  const send = (response: ServerResponse, status: number, body: object | undefined) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}));
  const { url, close } = await startFaultyServer({
    intercept(request: IncomingMessage, response: ServerResponse) {
      const origin = `http://${request.headers.host}`;
      const path = request.url ?? '';
      if (path.includes('oauth-protected-resource')) {
        send(response, resource ? 200 : 404, resource?.(origin));
      } else if (path.startsWith('/.well-known/')) {
        send(response, issuer ? 200 : 404, issuer?.(origin));
      } else {
        const hasToken = request.headers.authorization !== undefined;
        if (hasToken && tokenStatus === 200) return false;
        if (challenge !== undefined) response.setHeader('www-authenticate', challenge.replace('ORIGIN', origin));
        send(response, hasToken ? tokenStatus : 401, undefined);
      }
      return true;
    },
  });
  closers.push(close);
  return runDoctor({ url }, url, { only: ['authorization'], timeout: 30_000, authExceptions });
}

const CHALLENGE = 'Bearer resource_metadata="ORIGIN/.well-known/oauth-protected-resource/mcp"';
const resource = (origin: string) => ({ resource: `${origin}/mcp`, authorization_servers: [origin] });
const issuer = (origin: string) => ({
  issuer: origin,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  registration_endpoint: `${origin}/register`,
  code_challenge_methods_supported: ['S256'],
});
const listIds = ({ findings }: DoctorReport) => findings.map(({ id, severity }) => `${severity} ${id.split('.')[1]}`);

describe('the examination of authorization', () => {
  it('exits with 3, and finds no problem in a complete chain [cli.doctor]', async () => {
    const report = await examineChain({ challenge: CHALLENGE, resource, issuer });
    expect(report.exit).toBe(3);
    expect(listIds(report)).toEqual([
      'ok challenge',
      'ok resource',
      'ok issuer',
      'ok pkce',
      'ok registration',
      'ok token',
    ]);
  });

  it.each<[string, Chain, string]>([
    ['a missing challenge', { resource, issuer }, 'warning challenge'],
    [
      'metadata of another resource',
      {
        challenge: CHALLENGE,
        issuer,
        resource: () => ({ resource: 'https://other.example/', authorization_servers: ['https://other.example'] }),
      },
      'problem discovery',
    ],
    ['missing metadata of the issuer', { challenge: CHALLENGE, resource }, 'problem discovery'],
    [
      'metadata of another issuer',
      { challenge: CHALLENGE, resource, issuer: origin => ({ ...issuer(origin), issuer: `${origin}/other` }) },
      'problem discovery',
    ],
    [
      'missing PKCE',
      {
        challenge: CHALLENGE,
        resource,
        issuer: origin => ({ ...issuer(origin), code_challenge_methods_supported: ['plain'] }),
      },
      'problem pkce',
    ],
    [
      'no way to register',
      { challenge: CHALLENGE, resource, issuer: origin => ({ ...issuer(origin), registration_endpoint: undefined }) },
      'warning registration',
    ],
    [
      'a missing token endpoint',
      { challenge: CHALLENGE, resource, issuer: origin => ({ ...issuer(origin), token_endpoint: undefined }) },
      'problem issuer',
    ],
    [
      'an invalid token that is accepted',
      { challenge: CHALLENGE, resource, issuer, tokenStatus: 200 },
      'problem token',
    ],
    ['an invalid token that fails', { challenge: CHALLENGE, resource, issuer, tokenStatus: 500 }, 'warning token'],
  ])('finds %s', async (_, chain, id) => {
    expect(listIds(await examineChain(chain))).toContain(id);
  });

  it('applies the exceptions of the user, and names them [cli.doctor]', async () => {
    const deviating = (origin: string) => ({
      ...issuer(origin),
      issuer: `${origin}/`,
      code_challenge_methods_supported: undefined,
    });
    const chain = { challenge: CHALLENGE, resource, issuer: deviating };
    const refused = await examineChain(chain);
    expect(listIds(refused)).toContain('problem discovery');
    expect(refused.findings.find(({ id }) => id === 'authorization.discovery')?.fix).toContain(
      '--auth-exception ignoreIssuerSlash',
    );
    const authExceptions = { ignoreIssuerSlash: true, assumePkce: true };
    const accepted = listIds(await examineChain({ ...chain, authExceptions }));
    expect(accepted).toEqual(expect.arrayContaining(['info exceptions', 'ok issuer', 'ok pkce']));
  });
});
