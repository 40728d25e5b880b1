import { createRandomText, TenonError } from '@tenon/base';
import type { AuthTarget } from '../auth-target.js';

/** Statuses of the page that an authorization server shows to the user of a client that it does not know. */
const UNKNOWN_CLIENT_STATUSES: ReadonlySet<number> = new Set([400, 401]);

/**
 * Checks that the authorization server still knows a client, before a user opens the page: it shows an error to the user
 * of a client that it does not know, and the browser does not come back.
 *
 * @param url Authorization URL. The check uses another `state`, because nobody signs in by it.
 * @throws TenonError `auth/denied` with the OAuth error `invalid_client`
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1
 */
export async function checkClient({ fetch, issuer }: AuthTarget, url: URL, signal: AbortSignal): Promise<void> {
  const probe = new URL(url);
  probe.searchParams.set('state', createRandomText());
  // A page that cannot be read here may be readable for the browser of the user.
  const response = await fetch(probe.href, { headers: { accept: 'text/html' } }, signal).catch(() => undefined);
  await response?.body?.cancel().catch(() => {});
  if (response === undefined || !UNKNOWN_CLIENT_STATUSES.has(response.status)) return;
  throw new TenonError('auth/denied', 'the authorization server no longer knows the client', {
    peer: issuer.slice(0, 200),
    received: `status ${response.status}`,
    hint: 'sign in again',
    data: { error: 'invalid_client' },
  });
}
