import { createServer as createHttp } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import { type Clock, createServer, tool } from 'tenon';
import { protect } from 'tenon/auth';
import { serveHttp } from 'tenon/node';
import { findFreePort } from '../../packages/tenon/src/stores/fixtures/find-free-port.js';

/** Seconds for which access tokens are good at first. */
export const LIFE = 3_600;
const SCOPES = ['notes:read', 'notes:write'];

/** An authorization server of others, where users sign in on its own pages. */
export interface UsersIssuer {
  readonly url: string;
  /** What it was asked: methods and paths. */
  readonly requests: string[];
  /** Seconds for which it issues access tokens from now on. */
  life: number;
  count(what: string): number;
  close(): void;
}

/** A protected server, and the authorization server that it trusts. */
export interface ProtectedNotes {
  readonly url: string;
  readonly issuer: UsersIssuer;
  /** The time of the protected server. */
  readonly clock: MovableClock;
  close(): Promise<void>;
}

export interface MovableClock extends Clock {
  /** Milliseconds by which it is ahead of the time of day. */
  ahead: number;
}

export function movableClock(): MovableClock {
  return {
    ahead: 0,
    now() {
      return Date.now() + this.ahead;
    },
    elapsed() {
      return this.now();
    },
    after(ms, run) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  };
}

/** `oidc-provider`, with the pages and the registration that it brings. */
export async function startUsersIssuer(resource: string): Promise<UsersIssuer> {
  const requests: string[] = [];
  const http = createHttp((request, response) => {
    requests.push(`${request.method} ${request.url?.split('?')[0]}`);
    answer(request, response);
  });
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const issuer: UsersIssuer = {
    url,
    requests,
    life: LIFE,
    count: what => requests.filter(each => each.endsWith(what)).length,
    close() {
      http.close();
      http.closeAllConnections();
    },
  };
  const answer = (await providerOf(issuer, resource)).callback();
  return issuer;
}

async function providerOf(issuer: UsersIssuer, resource: string): Promise<Provider> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return new Provider(issuer.url, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'k', alg: 'ES256', use: 'sig' }] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    scopes: ['openid', 'offline_access', ...SCOPES],
    cookies: { keys: ['only-for-tests'] },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    ttl: { RefreshToken: 86_400, Session: 600, Grant: 86_400, Interaction: 600 },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        // Clients of 2025-03-26 do not name one.
        defaultResource: (_: unknown, __: unknown, oneOf?: readonly string[]) => oneOf?.[0] ?? resource,
        getResourceServerInfo: () => ({
          scope: SCOPES.join(' '),
          audience: resource,
          accessTokenFormat: 'jwt',
          accessTokenTTL: issuer.life,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  });
}

/** Our server of notes: `who` needs what everything needs, `write` more. */
export async function startProtectedNotes(): Promise<ProtectedNotes> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const issuer = await startUsersIssuer(url);
  const notes = createServer({
    name: 'notes',
    version: '1',
    tools: {
      who: tool({ run: (_, { auth }) => auth?.principal ?? 'nobody' }),
      write: tool({ scopes: ['notes:write'], run: () => 'written' }),
    },
  });
  const clock = movableClock();
  const auth = protect({ resource: url, issuers: [issuer.url], scopes: ['notes:read'], clock });
  const served = await serveHttp(notes, { port, auth });
  return {
    url,
    issuer,
    clock,
    async close() {
      await served.close();
      issuer.close();
    },
  };
}

/** The first text of a result. */
export async function textOf(result: Promise<unknown>): Promise<string | undefined> {
  return ((await result) as { content: { text: string }[] }).content[0]?.text;
}
