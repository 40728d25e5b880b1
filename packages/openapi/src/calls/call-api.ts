import {
  createGuardedFetch,
  createUrlGuard,
  type GuardedFetch,
  redactKnownValues,
  TenonError,
  takeBeginning,
} from '@tenon/base';
import { type Context, toolError } from 'tenon';
import { isJsonType, isTextType } from '../operations/media-types.js';
import type { ApiOperation, SecurityScheme } from '../operations/operation.js';
import type { Platform } from '../platform.js';
import { buildRequest } from './build-request.js';
import { type Credentials, getCredentials } from './credentials.js';

/** Maximum length of the text of an error of an API that a model gets, in characters. */
const MAX_ERROR = 4_000;
/** Shortest credential that is removed from errors. A shorter one would occur in them by chance. */
const MIN_SECRET = 4;

/** Settings of an API that is called. */
export interface ApiSettings {
  readonly baseUrl: string;
  readonly schemes: readonly SecurityScheme[];
  readonly auth: Credentials;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeout: number;
  readonly maxResponseSize: number;
  readonly platform: Platform;
}

/** Successful response of an API. */
export interface ApiResponse {
  readonly status: number;
  /** Media type in lower case, without parameters. Empty if the response has none. */
  readonly type: string;
  readonly charset: string;
  readonly bytes: Uint8Array;
  /** URL without its query. */
  readonly url: string;
}

/** Sends the request of an operation. `undefined` for a resource that does not exist: status 404 of a read. */
export type CallApi = (operation: ApiOperation, args: object, context: Context) => Promise<ApiResponse>;

/** Error of an API with its status. */
export class ApiStatusError extends Error {
  override readonly name = 'ApiStatusError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Creates the function that calls an API. Credentials go to the origins of its operations only. */
export function createApiCaller(settings: ApiSettings): CallApi {
  const { baseUrl, schemes, auth, headers, timeout, maxResponseSize, platform } = settings;
  const fetches = new Map<string, GuardedFetch>();
  const getFetch = (url: string): GuardedFetch => {
    const { origin, protocol } = new URL(url);
    const known = fetches.get(origin);
    if (known !== undefined) return known;
    const guard = createUrlGuard(url, { allowInsecure: protocol === 'http:' });
    const made = createGuardedFetch({
      guard,
      fetch: platform.fetch,
      timeout,
      maxSize: maxResponseSize,
      party: 'the API',
    });
    fetches.set(origin, made);
    return made;
  };
  return async (operation, args, context) => {
    const base = operation.url ?? baseUrl;
    const credentials = await getCredentials(operation, schemes, auth, context);
    const { url, ...request } = buildRequest(operation, args, base, headers, credentials);
    const response = await getFetch(base)(url, request, context.signal).catch((error: unknown) => {
      throw createRequestError(operation.method, error);
    });
    const { status } = response;
    const [type = '', ...parameters] = (response.headers.get('content-type') ?? '').split(';');
    const bytes = new Uint8Array(await response.arrayBuffer());
    const found: ApiResponse = {
      status,
      type: type.trim().toLowerCase(),
      charset: /charset\s*=\s*"?([\w.:-]+)/i.exec(parameters.join(';'))?.[1] ?? 'utf-8',
      bytes,
      url: url.split('?', 1)[0] ?? '',
    };
    if (response.ok) return found;
    // An API may repeat a credential, also within the URL of the request.
    const secrets = credentials.secrets.filter(secret => secret.length >= MIN_SECRET);
    const text = redactKnownValues(isText(found) ? decodeText(found) : '', secrets, '[redacted]');
    const shown =
      text.length > MAX_ERROR ? `${takeBeginning(text, MAX_ERROR)}… (${text.length} characters in all)` : text;
    const retryAfter = response.headers.get('retry-after');
    throw new ApiStatusError(
      status,
      [
        `The API answered with status ${status}. ${shown}`.trim(),
        ...(retryAfter !== null && /^[\w ,:]{1,40}$/.test(retryAfter) ? [`Retry-After: ${retryAfter}`] : []),
        ...(credentials.missing.length > 0 && (status === 401 || status === 403)
          ? [`The server has no credential for ${credentials.missing.join(', ')}.`]
          : []),
      ].join('\n'),
    );
  };
}

function createRequestError(method: string, error: unknown): TenonError {
  const mayHaveRun =
    method === 'GET' || method === 'HEAD'
      ? ''
      : ' It may have executed the request: check the effect before you send it again.';
  const isRefused =
    TenonError.is(error) && ['auth/redirected', 'auth/unsafe-url', 'auth/too-large'].includes(error.code);
  const isTimeout = TenonError.is(error) && error.code === 'auth/timeout';
  const reason = isRefused
    ? `The response of the API is refused: ${error.summary}.`
    : isTimeout
      ? `The request was cancelled: ${error.summary}.`
      : 'The API does not answer.';
  return toolError(`${reason}${mayHaveRun}`, error);
}

/** Tells if a response is text. One without a media type is text if it is UTF-8. */
export function isText({ type, bytes }: ApiResponse): boolean {
  if (type === '') return isUtf8(bytes);
  return isJsonType(type) || isTextType(type) || type === 'application/x-www-form-urlencoded';
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

export function decodeText({ bytes, charset }: ApiResponse): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
