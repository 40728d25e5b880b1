import { describe, expect, it } from 'vitest';
import type { ClientAuthMethod } from './client.js';
import { parseClientMetadata } from './client-metadata.js';

const METHODS: readonly ClientAuthMethod[] = ['none', 'private_key_jwt'];
const parse = (metadata: object, id = 'id') =>
  parseClientMetadata({ redirect_uris: ['https://a.example/cb'], ...metadata }, id, ['myapp'], METHODS);
const error = (code: string, message?: RegExp) =>
  expect.objectContaining({ error: code, ...(message ? { message: expect.stringMatching(message) } : {}) });
const uris = (count: number) => Array.from({ length: count }, (_, index) => `https://a.example/${index}`);
const keys = (count: number) => Array.from({ length: count }, () => ({ kty: 'EC' }));
const withKeys = (jwks: unknown) => () => parse({ token_endpoint_auth_method: 'private_key_jwt', jwks });

describe('parseClientMetadata', () => {
  it('applies defaults', () => {
    expect(parse({})).toEqual({
      id: 'id',
      name: 'id',
      redirects: ['https://a.example/cb'],
      methods: ['none'],
      grants: ['authorization_code'],
      trusted: false,
    });
  });

  it('shortens names to 100 characters, and removes invisible ones', () => {
    expect(parse({ client_name: ' a\u200bb ' }).name).toBe('ab');
    for (const letter of ['x', '🦊']) expect(parse({ client_name: letter.repeat(101) }).name).toBe(letter.repeat(100));
    for (const name of ['', ' ', 1]) expect(parse({ client_name: name }, 'y'.repeat(101)).name).toBe('y'.repeat(100));
  });

  it('rejects other methods and response types', () => {
    expect(() => parse({ token_endpoint_auth_method: 'client_secret_post' })).toThrow(
      error('invalid_client_metadata', /token_endpoint_auth_method/),
    );
    expect(parse({ response_types: ['code'] }).id).toBe('id');
    for (const types of ['code', ['token'], ['code', 'token']])
      expect(() => parse({ response_types: types })).toThrow(error('invalid_client_metadata', /response_types/));
  });

  it('requires 1 to 20 redirect URIs', () => {
    expect(parse({ redirect_uris: uris(20) }).redirects).toHaveLength(20);
    for (const list of [undefined, 'https://a.example/', [], uris(21), [1]])
      expect(() => parse({ redirect_uris: list })).toThrow(error('invalid_redirect_uri', /1 to 20/));
  });

  it('derives the application type from the URIs', () => {
    for (const uri of ['http://127.0.0.1/cb', 'myapp:/cb'])
      expect(parse({ redirect_uris: [uri] }).redirects).toEqual([uri]);
    expect(() => parse({ redirect_uris: ['https://localhost/cb'] })).toThrow(error('invalid_redirect_uri', /"web"/));
    expect(() => parse({ redirect_uris: ['other:/cb'] })).toThrow(error('invalid_redirect_uri', /"native"/));
  });

  it('takes the application type of the metadata', () => {
    const redirect_uris = ['https://localhost/cb'];
    expect(parse({ redirect_uris, application_type: 'native' }).redirects).toEqual(redirect_uris);
    expect(() => parse({ redirect_uris: ['myapp:/cb'], application_type: 'web' })).toThrow(
      error('invalid_redirect_uri'),
    );
    expect(() => parse({ application_type: 'other' })).toThrow(error('invalid_client_metadata', /application_type/));
  });

  it('keeps the grants of users, of which the authorization code is required', () => {
    expect(parse({ grant_types: ['refresh_token', 'authorization_code', 'client_credentials'] }).grants).toEqual([
      'authorization_code',
      'refresh_token',
    ]);
    expect(parse({ grant_types: null }).grants).toEqual(['authorization_code']);
    for (const types of ['authorization_code', [], ['refresh_token']])
      expect(() => parse({ grant_types: types })).toThrow(error('invalid_client_metadata', /grant_types/));
  });

  it('requires 1 to 10 public keys for private_key_jwt, and ignores keys otherwise', () => {
    expect(withKeys({ keys: keys(1) })().jwks).toEqual({ keys: keys(1) });
    expect(withKeys({ keys: keys(10) })().jwks?.keys).toHaveLength(10);
    for (const list of [[], keys(11), [{ kty: 'oct' }], [{ kty: 'EC', d: 'x' }], ['x'], 'x'])
      expect(withKeys({ keys: list })).toThrow(error('invalid_client_metadata', /public keys/));
    expect(withKeys(undefined)).toThrow(error('invalid_client_metadata', /public keys/));
    expect(parse({ jwks: { keys: keys(1) } }).jwks).toBeUndefined();
  });
});
