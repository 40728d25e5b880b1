import { decodeBase64 } from '../encoding/base64.js';
import { isObject } from '../json/json-object.js';
import { parseJsonObject } from '../json/parse-json.js';
import type { GuardedFetch, GuardedFetchInit } from '../net/guarded-fetch.js';
import { redactKnownValues } from '../redaction/known-values.js';

/** Parameters of requests to an authorization server that are no credentials, and that its errors may name. */
const PUBLIC_PARAMETERS =
  /^(?:client_id|grant_type|scope|resource|audience|redirect_uri|\w+_token_type|\w+_type|token_type_hint)$/;

/**
 * Removes the credentials of a request from the `error_description` of its response, because some servers repeat them.
 * No shape shows that a short one is a secret.
 */
export function hideCredentials(fetch: GuardedFetch): GuardedFetch {
  return async (url, init = {}, signal) => {
    const response = await fetch(url, init, signal);
    const body = parseJsonObject(await response.clone().text());
    const description = body?.error_description;
    if (typeof description !== 'string') return response;
    const hidden = redactKnownValues(description, listCredentials(init));
    if (hidden === description) return response;
    return new Response(JSON.stringify({ ...body, error_description: hidden }), response);
  };
}

/** Lists the credentials of a request, the longest first, because one may contain another. */
function listCredentials({ headers, body }: GuardedFetchInit): string[] {
  const parameters = new URLSearchParams(String(body ?? ''));
  const names = `${parameters}`.split('&').map(each => each.slice(0, each.indexOf('=')));
  const values = names.flatMap(name => (PUBLIC_PARAMETERS.test(name) ? [] : parameters.getAll(name)));
  const authorization = isObject(headers) ? String(headers.authorization ?? '') : '';
  const token = authorization.slice(authorization.indexOf(' ') + 1);
  if (/^basic /i.test(authorization)) {
    const pair = new TextDecoder().decode(decodeBase64(token));
    const secret = pair.slice(pair.indexOf(':') + 1);
    values.push(secret, new URLSearchParams(`s=${secret}`).get('s') ?? '');
  }
  return [...values, token].filter(value => value !== '').sort((a, b) => b.length - a.length);
}
