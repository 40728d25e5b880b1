import { describe, expect, it } from 'vitest';
import { hideCredentials } from './hide-credentials.js';

const describeError = async (init: object, description: unknown, status = 401) => {
  const body = JSON.stringify({ error: 'invalid_client', error_description: description });
  const send = hideCredentials(async () => new Response(body, { status, headers: { 'retry-after': '5' } }));
  const response = await send('https://as.example/token', init);
  expect([response.status, response.headers.get('retry-after')]).toEqual([status, '5']);
  const answer: { error_description?: unknown } = JSON.parse(await response.text());
  return answer.error_description;
};

describe('hideCredentials', () => {
  it.each([
    ['a secret in the body', { body: new URLSearchParams({ client_id: 'app', client_secret: 's3cr3t' }) }, 's3cr3t'],
    ['a refresh token', { body: new URLSearchParams({ refresh_token: 'r-1' }) }, 'r-1'],
    ['a secret of Basic', { headers: { authorization: `Basic ${btoa('app:p%26ss+word')}` } }, 'p&ss word'],
    ['the value of Basic', { headers: { authorization: `Basic ${btoa('app:x')}` } }, btoa('app:x')],
    ['a bearer token', { headers: { authorization: 'Bearer tok' } }, 'tok'],
  ])('removes %s from the description, also of a response with status 200', async (_name, init, secret) => {
    for (const status of [401, 200])
      expect(await describeError(init, `app: "${secret}" is wrong, "${secret}"`, status)).toBe(
        'app: "…" is wrong, "…"',
      );
  });

  it('removes a credential that the server repeats as it was encoded in the body', async () => {
    const body = new URLSearchParams({ client_secret: 's3c+r/t é' });
    expect(await describeError({ body }, `wrong: ${body}`)).toBe('wrong: client_secret=…');
  });

  it('removes a credential that contains another one as one', async () => {
    const body = new URLSearchParams({ client_secret: 'ab', code: 'abc' });
    expect(await describeError({ body }, 'abc')).toBe('…');
  });

  it('keeps other parameters, other responses and empty values', async () => {
    const body = new URLSearchParams({ client_id: 'app', scope: 'notes', client_secret: '' });
    expect(await describeError({ body }, 'app may not use notes')).toBe('app may not use notes');
    expect(await describeError({ body }, 5)).toBe(5);
    const page = await hideCredentials(async () => new Response('<p>s</p>'))('https://as.example/token', {
      body: 'a=s',
    });
    expect(await page.text()).toBe('<p>s</p>');
  });
});
