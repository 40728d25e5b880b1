import type { JsonObject } from 'tenon';
import { PROOF_ALGORITHMS } from './dpop-proof.js';
import type { IssuerSettings } from './options.js';

/**
 * Creates the metadata document of an issuer.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-2
 */
export async function createIssuerMetadata(settings: IssuerSettings): Promise<JsonObject> {
  const { issuer, origin, path, scopes, registration } = settings;
  const getEndpointUrl = (name: string) => `${origin}${path}/${name}`;
  const { alg } = await settings.getKeys();
  const methods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'];
  const machines = settings.clients.some(({ machine }) => machine);
  return {
    issuer,
    authorization_endpoint: getEndpointUrl('authorize'),
    token_endpoint: getEndpointUrl('token'),
    jwks_uri: getEndpointUrl('jwks'),
    revocation_endpoint: getEndpointUrl('revoke'),
    ...(registration ? { registration_endpoint: getEndpointUrl('register') } : {}),
    ...(scopes.size > 0 ? { scopes_supported: [...scopes.keys()] } : {}),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', ...(machines ? ['client_credentials'] : [])],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: settings.supportsDocuments,
    token_endpoint_auth_methods_supported: methods,
    token_endpoint_auth_signing_alg_values_supported: PROOF_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: methods,
    dpop_signing_alg_values_supported: PROOF_ALGORITHMS,
    // Required members of an OpenID Connect discovery document.
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [alg],
  };
}

/**
 * Lists the paths at which clients request the metadata.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-3
 */
export function getMetadataPaths({ path }: IssuerSettings): string[] {
  const [oauth, openid] = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];
  return [...new Set([`${oauth}${path}`, `${openid}${path}`, `${path}${openid}`])];
}
