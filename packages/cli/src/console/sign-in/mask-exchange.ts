import { isObject, isSecretName, REDACTED, redactTokens, stringifyJson } from '@tenon/base';
import { sliceText } from '../json-part.js';

/** Maximum length of a body that the page gets, in characters. */
const MAX_BODY = 20_000;
/** Maximum depth of a JSON body. */
const MAX_DEPTH = 30;
/** Parameters of OAuth whose values let others act as the user or the client. */
const SECRET_PARAMS: ReadonlySet<string> = new Set([
  'code',
  'state',
  'code_verifier',
  'device_code',
  'client_assertion',
  'assertion',
  'subject_token',
  'actor_token',
]);

const isSecret = (name: string): boolean => SECRET_PARAMS.has(name) || isSecretName(name);

const maskParam = (name: string, value: string): string => (isSecret(name) ? REDACTED : redactTokens(value));

/** Masks the parameters of a URL that are secret, such as `code` and `state`. */
export function maskUrl(url: URL | string): string {
  const masked = new URL(url);
  for (const [name, value] of [...masked.searchParams]) masked.searchParams.set(name, maskParam(name, value));
  if (masked.username !== '' || masked.password !== '') masked.username = masked.password = '';
  return masked.href.replaceAll(encodeURIComponent(REDACTED), REDACTED);
}

/** Writes a body for the page: JSON with indentation, a form with one parameter in each line. Secrets are masked. */
export function maskBody(body: string, mediaType: string): string {
  return sliceText(mediaType.includes('form-urlencoded') ? maskForm(body) : maskText(body), 0, MAX_BODY);
}

const maskForm = (body: string): string =>
  [...new URLSearchParams(body)].map(([name, value]) => `${name} = ${maskParam(name, value)}`).join('\n');

function maskText(body: string): string {
  try {
    return stringifyJson(maskJson(JSON.parse(body), 0), 2);
  } catch {
    return redactTokens(body);
  }
}

function maskJson(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactTokens(value);
  if (depth >= MAX_DEPTH) return REDACTED;
  if (Array.isArray(value)) return value.map(each => maskJson(each, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      typeof each === 'string' && isSecret(name) ? REDACTED : maskJson(each, depth + 1),
    ]),
  );
}
