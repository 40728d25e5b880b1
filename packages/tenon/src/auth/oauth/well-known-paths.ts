/** Path of the metadata of a protected resource. */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource';
/** Path of the metadata of an authorization server. */
export const AUTHORIZATION_SERVER_PATH = '/.well-known/oauth-authorization-server';
