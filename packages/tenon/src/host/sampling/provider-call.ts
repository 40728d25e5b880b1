import { type Clock, systemClock } from '../../cancellation/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { FetchLike, FetchResponse } from '../../transports/http/client/fetch-like.js';
import { formatErrorExcerpt } from './excerpt.js';
import { createProviderError } from './provider-error.js';

/** How a provider is reached. Times are milliseconds. */
export interface ProviderOptions {
  /** The key, or what gets it: it is asked before each request. */
  readonly key?: string | (() => string | Promise<string>) | undefined;
  /** Where the API begins, with its version. Default: the provider's own. */
  readonly url?: string | undefined;
  /** More headers: an organization, say. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fetch?: FetchLike | undefined;
  /** How often a request is sent again after 429 or 5xx. Default 2. */
  readonly retries?: number | undefined;
  /** A provider that wants to be left alone for longer is not waited for. Default 30,000. */
  readonly maxWait?: number | undefined;
  /** Sends the key and the prompts without encryption to other machines too: whoever is on the way can read them. Default `false`. */
  readonly insecure?: boolean | undefined;
  readonly clock?: Clock | undefined;
}

export interface ProviderCall {
  /** The model, as errors name it. */
  readonly peer: string;
  readonly base: string;
  readonly path: string;
  readonly authorize: (key: string) => Record<string, string>;
  readonly body: JsonObject;
  readonly signal: AbortSignal;
}

const RETRIES = 2;
const MAX_WAIT = 30_000;
/** Before the first repetition where the provider names no time; twice as long before each further one. */
const FIRST_WAIT = 500;
/** Bytes of an answer. Images are in it. */
const MAX_ANSWER = 32 * 2 ** 20;
/** Bytes of an answer that says no. */
const MAX_ERROR = 64 * 2 ** 10;

/**
 * Asks a provider by POST, and gives the JSON object that it answers. Throws `model/unreachable`, `model/refused` (with
 * `status` and a short piece of what the provider said), `model/answer`, `model/key`, `model/insecure-url`. Redirects are
 * not followed: the key goes to the address that was given and to no other.
 */
export async function askProvider(options: ProviderOptions, call: ProviderCall): Promise<JsonObject> {
  const { retries = RETRIES, maxWait = MAX_WAIT, clock = systemClock } = options;
  const send = options.fetch ?? ((url, init) => fetch(url, init));
  const { peer, signal } = call;
  const url = checkedUrl(call.base, options, peer) + call.path;
  const key = await keyOf(options, peer);
  const secrets = [key, ...Object.values(options.headers ?? {})].filter(each => each.length >= 8);
  const authorization = key === '' ? {} : call.authorize(key);
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...options.headers,
    ...authorization,
  };
  const init = { method: 'POST', headers, body: JSON.stringify(call.body), signal, redirect: 'manual' as const };
  for (let tries = 0; ; tries += 1) {
    const response = await sent(send, url, init, peer, secrets);
    if (response.status === 200) return parsed(await textOf(response, MAX_ANSWER, peer), peer);
    const text = await textOf(response, MAX_ERROR, peer).catch(() => '');
    const wait = waitOf(response, tries, clock);
    if (tries >= retries || wait === undefined || wait > maxWait)
      throw createProviderError(response, text, { peer, secrets, wait });
    await pause(wait, clock, signal);
  }
}

function checkedUrl(base: string, { insecure = false }: ProviderOptions, peer: string): string {
  let url: URL | undefined;
  try {
    url = new URL(base);
  } catch {}
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url?.hostname ?? '');
  if (url && !url.username && (url.protocol === 'https:' || (url.protocol === 'http:' && (isLoopback || insecure))))
    return base.replace(/\/+$/, '');
  throw new TenonError('model/insecure-url', 'the URL of the model is not safe to send a key to', {
    peer,
    expected: 'https:, or http: to this machine, without a user name',
    hint: 'correct `url`, or set `insecure` if nobody can listen on the way',
  });
}

async function keyOf({ key = '' }: ProviderOptions, peer: string): Promise<string> {
  const text = typeof key === 'function' ? await key() : key;
  if (/^[!-~]*$/.test(text)) return text;
  throw new TenonError('model/key', 'the key has characters that no header can have', {
    peer,
    hint: 'look for a space or a line break that was copied along',
  });
}

async function sent(
  send: FetchLike,
  url: string,
  init: Parameters<FetchLike>[1],
  peer: string,
  secrets: readonly string[],
): Promise<FetchResponse> {
  try {
    return await send(url, init);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const said = cause instanceof Error ? formatErrorExcerpt(cause.message, secrets) : undefined;
    throw new TenonError('model/unreachable', 'the model could not be reached', { peer, received: said });
  }
}

async function textOf({ body }: FetchResponse, limit: number, peer: string): Promise<string> {
  if (body === null) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value?.length ?? 0;
    if (size > limit) {
      reader.cancel().catch(() => {});
      throw new TenonError('model/answer', `the model answers more than ${limit} bytes`, { peer });
    }
    text += decoder.decode(value, { stream: true });
  }
}

function parsed(text: string, peer: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {}
  throw new TenonError('model/answer', 'the model answers no JSON object', {
    peer,
    hint: 'look whether `url` is right',
  });
}

/** How long to wait before the request is sent again; undefined: that would be of no use. */
function waitOf({ status, headers }: FetchResponse, tries: number, clock: Clock): number | undefined {
  if (status !== 429 && status < 500) return undefined;
  const said = headers.get('retry-after');
  if (said === null) return FIRST_WAIT * 2 ** tries;
  const seconds = Number(said);
  if (said.trim() !== '' && Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const date = Date.parse(said);
  return Number.isNaN(date) ? FIRST_WAIT * 2 ** tries : Math.max(0, date - clock.now());
}

function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => reject(new TenonError('sampling/aborted', 'the answer is no longer wanted'));
    if (signal.aborted) return end();
    const off = clock.after(
      ms,
      () => {
        signal.removeEventListener('abort', abort);
        resolve();
      },
      { hold: true },
    );
    const abort = () => {
      off();
      end();
    };
    signal.addEventListener('abort', abort, { once: true });
  });
}
