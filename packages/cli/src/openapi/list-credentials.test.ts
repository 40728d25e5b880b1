import type { SecurityScheme } from '@tenon/openapi';
import { describe, expect, it } from 'vitest';
import { listCredentials } from './list-credentials.js';

const createKey = (id: string, name: string, kind: SecurityScheme['kind'] = 'header') => ({ id, kind, name });

describe('listCredentials', () => {
  it('returns one variable for one key', () => {
    const bearer = { kind: 'bearer', name: 'authorization' } as const;
    const schemes = [
      createKey('main', 'X-Key'),
      createKey('again', 'x-key'),
      { id: 'user', ...bearer },
      { id: 'oauth', ...bearer },
    ];
    expect(listCredentials(schemes, 'SHOP')).toEqual([
      { scheme: 'main', variable: 'SHOP_KEY' },
      { scheme: 'again', variable: 'SHOP_KEY' },
      { scheme: 'user', variable: 'SHOP_TOKEN' },
      { scheme: 'oauth', variable: 'SHOP_TOKEN' },
    ]);
  });

  it('returns the names of the schemes if there are several keys', () => {
    const schemes = [
      createKey('appId', 'X-App-Id'),
      createKey('app-key', 'X-App-Key'),
      createKey('app_key', 'key', 'query'),
    ];
    expect(listCredentials(schemes, 'SHOP')).toEqual([
      { scheme: 'appId', variable: 'SHOP_APPID' },
      { scheme: 'app-key', variable: 'SHOP_APP_KEY' },
      { scheme: 'app_key', variable: 'SHOP_APP_KEY_2' },
    ]);
  });
});
