// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of configurations are written so
import { describe, expect, it } from 'vitest';
import { findLiteralSecrets } from './find-literal-secrets.js';

describe('findLiteralSecrets', () => {
  it.each([
    [{ command: 'x', env: { API_KEY: 'abc', MODE: 'dev' } }, ['env.API_KEY']],
    [{ command: 'x', env: { API_KEY: '${API_KEY}', TOKEN: '${env:T}', AUTH: 'none', PASSWORD: '' } }, []],
    [{ command: 'x', env: { GIVEN: `ghp_${'a1'.repeat(18)}` } }, ['env.GIVEN']],
    [{ command: 'x', args: ['--token', 'abc', '--api-key=def', '--port', '3000'] }, ['args[1]', 'args[2]']],
    [{ command: 'x', args: ['--token', '${TOKEN}', '--api-key=${KEY}'] }, []],
    [{ command: 'npx', args: ['-y', '@scope/server@1.2.3', 'git+ssh://git@example.com/a/b.git'] }, []],
    [{ command: 'x', args: ['postgres://ann:pw@db/x'] }, ['args[0]']],
    [{ url: 'https://x.example/mcp?api_key=abc&page=2' }, ['url']],
    [{ url: 'https://x.example/mcp?api_key=${KEY}' }, []],
    [{ url: 'https://ann:pw@x.example/mcp' }, ['url']],
    [{ url: 'https://x.example/s/AbCdEfGhIjKlMnOpQrStUv12345/mcp' }, ['url']],
    [{ url: 'https://x.example/mcp', headers: { Authorization: 'Bearer abc' } }, ['headers.Authorization']],
    [{ url: 'https://x.example/mcp', headers: { Authorization: 'Bearer ${TOKEN}', 'X-Team': 'a' } }, []],
  ])('finds the secrets of %j', (target, expected) => {
    expect(findLiteralSecrets(target)).toEqual(expected);
  });

  it.each([
    [{ clientId: 'desk', clientSecret: 'abc' }, ['auth.clientSecret']],
    [{ clientId: 'desk', clientSecret: '${SECRET}' }, []],
    [{ clientId: 'desk', privateKey: '-----BEGIN PRIVATE KEY-----' }, ['auth.privateKey']],
    [{ clientId: 'desk', clientSecret: '${file:~/secret}' }, []],
  ])('finds the secrets of the service account %j', (serviceAccount, expected) => {
    expect(findLiteralSecrets({ url: 'https://x.example/mcp' }, { serviceAccount })).toEqual(expected);
  });
});
