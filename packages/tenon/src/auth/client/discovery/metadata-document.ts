import { TenonError } from '../../../jsonrpc/error.js';
import { isObject, type JsonObject } from '../../../jsonrpc/message.js';
import { type GuardedFetch, redactUrl } from '../../http/guarded-fetch.js';

/**
 * Fetches a metadata document. Rejects for a status of 500 or above, because the document may exist. Resolves with
 * `undefined` for any other status than 200.
 *
 * Also resolves with `undefined` for a body that is not a JSON object, because some servers send an HTML page for every
 * path.
 */
export async function fetchMetadataDocument(
  url: string,
  fetch: GuardedFetch,
  signal: AbortSignal | undefined,
  headers: Readonly<Record<string, string>> = {},
): Promise<JsonObject | undefined> {
  const response = await fetch(url, { headers: { accept: 'application/json', ...headers } }, signal);
  if (response.status >= 500) {
    throw new TenonError('auth/unreachable', 'the metadata request failed with a server error', {
      peer: redactUrl(url),
      status: response.status,
      received: `HTTP ${response.status}`,
      hint: 'try again later',
    });
  }
  if (response.status !== 200) return undefined;
  try {
    const value = await response.json();
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
