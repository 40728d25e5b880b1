import { describe, expect, it } from 'vitest';
import { DocumentSet } from './document-set.js';
import { listCredentials } from './list-credentials.js';

const list = (securitySchemes: object) => {
  const value = { components: { securitySchemes } };
  return listCredentials(new DocumentSet({ value, location: '/api.json' }, async () => ({})), 'SHOP');
};
const createKey = (name: string, place = 'header') => ({ type: 'apiKey', in: place, name });

describe('listCredentials', () => {
  it('returns one variable for one key', () => {
    const schemes = { main: createKey('X-Key'), again: createKey('x-key'), user: { type: 'http', scheme: 'bearer' } };
    expect(list({ ...schemes, oauth: { type: 'oauth2' } })).toEqual([
      { kind: 'header', name: 'X-Key', variable: 'SHOP_KEY' },
      { kind: 'bearer', name: 'authorization', variable: 'SHOP_TOKEN' },
    ]);
  });

  it('returns the names of the schemes if there are several keys', () => {
    const schemes = {
      appId: createKey('X-App-Id'),
      'app-key': createKey('X-App-Key'),
      app_key: createKey('key', 'query'),
    };
    expect(list(schemes).map(({ name, variable }) => [name, variable])).toEqual([
      ['X-App-Id', 'SHOP_APPID'],
      ['X-App-Key', 'SHOP_APP_KEY'],
      ['key', 'SHOP_APP_KEY_2'],
    ]);
  });
});
