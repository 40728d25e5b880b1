import { describe, expect, it } from 'vitest';
import { measureCpuTime } from '../../../../test/support/cpu-time.js';
import { isSecretName } from './secret-names.js';
import { redactSecrets } from './secrets.js';

describe('isSecretName', () => {
  it.each([
    'Authorization',
    'apiKey',
    'API_KEY',
    'x-api-key',
    '--client-secret',
    'DB_PASSWORD',
    'password',
    'accessToken',
  ])('returns true for %s', name => expect(isSecretName(name)).toBe(true));
  it.each([
    'Set-Cookie',
    'session_id',
    'sessionId',
    'refresh_token',
    'private_key',
    'code_verifier',
    'pwd',
    'GITHUB_TOKEN',
  ])('returns true for %s', name => expect(isSecretName(name)).toBe(true));
  it.each(['keyboard', 'max_tokens', 'tokenCount', 'author', 'monkey', 'passenger', 'name', 'url', ''])(
    'returns false for %s',
    name => expect(isSecretName(name)).toBe(false),
  );
});

describe('redactSecrets', () => {
  it.each([
    ['Authorization: Bearer abcdefghijkl', 'Authorization: … …'],
    ['sent DPoP abcdefghijkl==', 'sent DPoP …'],
    ['https://me:hunter22@host/x?token=abc&q=1#access_token=d', 'https://…@host/x?token=…&q=1#access_token=…'],
    ['{"password": "hunter22"}', '{"password": "…"}'],
    ['PASSWORD=hunter22 run', 'PASSWORD=… run'],
    ['{"password": "two, \\"long\\" words", "a": "b c"}', '{"password": "…", "a": "b c"}'],
    ['password="two words', 'password="… words'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', '…'],
    ['key sk-abcdefghijklmnop.', 'key …'],
    ['AKIAIOSFODNN7EXAMPLE', '…'],
    ['xoxb-1234567890-abcdefghij', '…'],
    ['a wJalrXUtnFEMIxK7MDENGbPxRfiCY12345EXAMPLE b', 'a … b'],
    ['wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMP12LE==', '…'],
    ['-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----', '…'],
  ])('redacts %j', (text, shown) => expect(redactSecrets(text)).toBe(shown));

  it.each([
    '@modelcontextprotocol/server-everything',
    '/Users/Ada/Documents/Projects2027/Thing3/Notes.md',
    '123e4567-e89b-12d3-a456-426614174000',
    'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'getUserByIdentifierOrNameOrAddress',
    'npm-run-all-parallel-server',
    'What is the key to the garden?',
    '{"password": true, "token":null}',
    'https://host/a?q=1&page=2',
    'https://host/authorize?client_id=3MVG9lKcPoNINVBIPJjdw1J9LLM82HnF&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    'http://127.0.0.1:1/authorize?response_type=code&redirect_uri=http%3A%2F%2F127.0.0.1%3A2%2Fcallback%2FMCBrjdXBb86_Ra6Ia_hns8PFH&code_challenge_method=S256',
    'https://host/authorize?nonce=n-0S6WzA2MjwJalrXUtnFEMI7&state=wJalrXUtnFEMIxK7MDENGbPxRfiCY12345EXAMPLE',
  ])('leaves %s unchanged', text => expect(redactSecrets(text)).toBe(text));

  it('finds the shortest token, and leaves all shorter words', () => {
    expect(redactSecrets('eyJabcdefghij')).toBe('…');
    expect(redactSecrets('eyJabcdefghi')).toBe('eyJabcdefghi');
    expect(redactSecrets('a:b@c')).toBe('a:b@c');
    expect(redactSecrets('token=abc')).toBe('token=…');
  });

  it('takes little time for any text', async () => {
    for (const part of [
      'a=',
      'a:',
      '-----BEGIN PRIVATE KEY-----',
      'https://',
      'token="a ',
      'token="\\',
      'A1a',
      'Bearer ',
      '+/',
      'a-',
    ]) {
      const text = part.repeat(100_000 / part.length);
      expect(await measureCpuTime(() => redactSecrets(text))).toBeLessThan(3_000);
    }
  });
});

it('removes a random word of any length in parts, because a pattern for all of it would exhaust the stack', () => {
  const shown = redactSecrets(`before ${'aB1'.repeat(100_000)} after`);
  expect(shown.replaceAll(/…+/g, '…')).toBe('before … after');
});
