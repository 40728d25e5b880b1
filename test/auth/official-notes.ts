import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  type AuthMetadataOptions,
  createMcpHandler,
  getOAuthProtectedResourceMetadataUrl,
  McpServer,
  OAuthError,
  OAuthErrorCode,
  type OAuthTokenVerifier,
  oauthMetadataResponse,
  requireBearerAuth,
  requireScopes,
} from '@modelcontextprotocol/server';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import type { Clock } from 'tenon';
import { type Listening, listen } from '../interop/fixtures/listen.js';
import { movableClock, type ProtectedNotes, startUsersIssuer } from './protected-notes.js';

/** The official server v2, protected by what the SDK brings for that: the same tools as ours. */
export async function startOfficialNotes(): Promise<ProtectedNotes & { readonly refused: string[] }> {
  let handle: (request: Request) => Promise<Response> | Response = () => new Response(null, { status: 503 });
  const refused: string[] = [];
  const answer = toNodeHandler({
    async fetch(request) {
      const response = await handle(request);
      const challenge = response.headers.get('www-authenticate');
      if (challenge !== null) refused.push(`${response.status} ${/error="([^"]*)"/.exec(challenge)?.[1]}`);
      return response;
    },
  });
  const served: Listening = await listen((request, response) => answer(request as never, response as never));
  const resource = new URL('/mcp', served.origin);
  const issuer = await startUsersIssuer(resource.href);
  const clock = movableClock();
  const documents = {
    oauthMetadata: await metadataOf(issuer.url),
    resourceServerUrl: resource,
    scopesSupported: ['notes:read', 'notes:write'],
    dangerouslyAllowInsecureIssuerUrl: true,
  };
  const gate = requireBearerAuth({
    verifier: verifierOf(issuer.url, resource, clock),
    requiredScopes: ['notes:read'],
    resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(resource),
    expectedResource: resource,
  });
  const notes = createMcpHandler(createNotes);
  handle = async request => {
    const document = oauthMetadataResponse(request, documents);
    if (document) return document;
    const authInfo = await gate(request);
    return authInfo instanceof Response ? authInfo : notes.fetch(request, { authInfo });
  };
  return {
    url: resource.href,
    issuer,
    clock,
    refused,
    async close() {
      await notes.close();
      await served.close();
      issuer.close();
    },
  };
}

async function metadataOf(issuer: string): Promise<AuthMetadataOptions['oauthMetadata']> {
  const response = await fetch(`${issuer}/.well-known/openid-configuration`);
  return (await response.json()) as AuthMetadataOptions['oauthMetadata'];
}

function createNotes(): McpServer {
  const server = new McpServer({ name: 'official notes', version: '2.4.0' });
  const text = (value: unknown) => ({ content: [{ type: 'text' as const, text: String(value) }] });
  server.registerTool('who', {}, ctx => text(ctx.http?.authInfo?.extra?.sub));
  const scopeChallenge = requireScopes('notes:read', 'notes:write');
  server.registerTool('write', { scopeChallenge }, () => text('written'));
  return server;
}

function verifierOf(issuer: string, resource: URL, clock: Clock): OAuthTokenVerifier {
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));
  return {
    async verifyAccessToken(token) {
      const options = { issuer, audience: resource.href, currentDate: new Date(clock.now()) };
      const verified = await jwtVerify(token, keys, options).catch(() => undefined);
      if (!verified) throw new OAuthError(OAuthErrorCode.InvalidToken, 'the token is not good');
      const { client_id, scope, exp = 0, sub } = verified.payload;
      return {
        token,
        clientId: String(client_id),
        scopes: String(scope).split(' '),
        expiresAt: exp,
        resource,
        extra: { sub },
      };
    },
  };
}
