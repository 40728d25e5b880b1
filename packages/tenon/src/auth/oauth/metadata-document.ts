import {
  type GuardedFetch,
  isTemporaryStatus,
  type JsonObject,
  parseJsonObject,
  redactUrl,
  TenonError,
} from '@tenon/base';
import { dropEmptyMembers } from '@tenon/base/oauth';

/**
 * Fetches a metadata document. Rejects for a temporary failure of the server, because the document may exist. Resolves
 * with `undefined` for any other status than 200. Members that are `null` or empty count as absent.
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
  if (isTemporaryStatus(response.status)) {
    throw new TenonError('auth/unreachable', 'the metadata request failed with a temporary error', {
      peer: redactUrl(url),
      received: `HTTP ${response.status}`,
      hint: 'try again later',
    });
  }
  if (response.status !== 200) return undefined;
  const document = parseJsonObject(await response.text());
  return document && dropEmptyMembers(document, Object.keys(document));
}
