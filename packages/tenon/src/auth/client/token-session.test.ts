import { describe, expect, it } from 'vitest';
import { AS, failure, PRM, setUp } from './fixtures/signing.js';
import { headersOf, issuerMetadata, refusal, resourceMetadata } from './fixtures/world.js';

describe('a change of the authorization server', () => {
  const other = 'https://other.example.com';

  it('registers at the new one, and sends it nothing of the first [auth.credentials-re-register auth.credentials-not-reused-across-as auth.multiple-as-separate-state auth.multiple-as-no-assumption]', async () => {
    const { auth, servers } = setUp(
      {
        [`${other}/.well-known/oauth-authorization-server`]: { json: issuerMetadata(other) },
        [`${other}/register`]: { status: 201, json: { client_id: 'registered-2' } },
        [`${other}/token`]: { json: { access_token: 'other-1', token_type: 'Bearer' } },
      },
      { confirmIssuer: () => true },
    );
    await auth.handleRefusal(refusal());
    servers.routes[`${PRM}/mcp`] = { json: { ...resourceMetadata, authorization_servers: [other] } };
    expect(await auth.handleRefusal(refusal('Bearer', { sentHeaders: await headersOf(auth) }))).toBe(true);
    expect(await headersOf(auth)).toEqual({ authorization: 'Bearer other-1' });
    const shownToOther = JSON.stringify(servers.seen.filter(({ url }) => url.startsWith(other)));
    expect(shownToOther).not.toMatch(/registered-1|refresh-1|access-1/);
  });

  it('keeps a metadata document as client id [auth.cimd-portable]', async () => {
    const document = { client_id_metadata_document_supported: true };
    const { auth, servers, getRequests } = setUp(
      {
        [AS]: { json: { ...issuerMetadata(), ...document } },
        [`${other}/.well-known/oauth-authorization-server`]: { json: { ...issuerMetadata(other), ...document } },
        [`${other}/token`]: { json: { access_token: 'other-1', token_type: 'Bearer' } },
      },
      { clientMetadataUrl: 'https://me.example/client.json', confirmIssuer: () => true },
    );
    await auth.handleRefusal(refusal());
    servers.routes[`${PRM}/mcp`] = { json: { ...resourceMetadata, authorization_servers: [other] } };
    await auth.handleRefusal(refusal('Bearer', { sentHeaders: await headersOf(auth) }));
    expect(getRequests().get('client_id')).toBe('https://me.example/client.json');
  });

  it('is refused where the client was registered by hand at the first one', async () => {
    const { auth, servers } = setUp({}, { client: { id: 'by-hand', secret: 'word' } });
    await auth.handleRefusal(refusal());
    servers.routes[`${PRM}/mcp`] = { json: { ...resourceMetadata, authorization_servers: [other] } };
    await expect(auth.handleRefusal(refusal('Bearer', { sentHeaders: await headersOf(auth) }))).rejects.toEqual(
      failure('auth/other-issuer'),
    );
    expect(servers.urls().filter(url => url.startsWith(other))).toEqual([]);
  });
});
