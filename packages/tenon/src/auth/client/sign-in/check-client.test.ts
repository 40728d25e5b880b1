import { expect, it } from 'vitest';
import type { AuthTarget } from '../auth-target.js';
import { checkClient } from './check-client.js';

const URL_OF_PAGE = new URL('https://as.example/authorize?client_id=one&state=secret');
const { signal } = new AbortController();

function createTarget(respond: () => Response): { readonly target: AuthTarget; readonly urls: string[] } {
  const urls: string[] = [];
  const fetch = async (url: string) => {
    urls.push(url);
    return respond();
  };
  return { target: { fetch, issuer: 'https://as.example' } as unknown as AuthTarget, urls };
}

it.each([400, 401])('checkClient finds that the client is unknown after a page with status %i', async status => {
  const { target, urls } = createTarget(() => new Response('unknown client', { status }));
  await expect(checkClient(target, URL_OF_PAGE, signal)).rejects.toMatchObject({
    code: 'auth/denied',
    data: { error: 'invalid_client' },
  });
  const [request] = urls.map(url => new URL(url));
  expect(request?.searchParams.get('client_id')).toBe('one');
  // The state of the sign-in is a secret of its browser.
  expect(request?.searchParams.get('state')).not.toBe('secret');
});

it.each([200, 302, 403, 404, 429, 503])('checkClient accepts a page with status %i', async status => {
  const { target } = createTarget(() => new Response(null, { status }));
  await expect(checkClient(target, URL_OF_PAGE, signal)).resolves.toBeUndefined();
});

it('checkClient accepts a page that cannot be read', async () => {
  const { target } = createTarget(() => {
    throw new Error('unreachable');
  });
  await expect(checkClient(target, URL_OF_PAGE, signal)).resolves.toBeUndefined();
});
