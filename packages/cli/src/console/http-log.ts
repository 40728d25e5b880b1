import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { isSecretName, REDACTED, redactSecrets } from '@tenon/base';
import type { HttpExchangeView } from '@tenon/console/api';
import { dropOldest } from './drop-oldest.js';

/** Maximum number of messages whose HTTP requests are kept. The oldest are dropped. */
const MAX_MESSAGES = 20_000;
/** Maximum number of HTTP requests that are kept for one message. */
const MAX_EXCHANGES = 20;
/** Maximum length of the value of a header. */
const MAX_VALUE = 2000;

/** An exchange with its secrets. */
type Exchange = { -readonly [Name in keyof HttpExchangeView]: HttpExchangeView[Name] };

/** Message that the code is sending. */
const sentMessage = new AsyncLocalStorage<{ readonly log: HttpLog; readonly seq: number }>();

/**
 * HTTP requests below the messages of the clients: the request of a message, and those for its authorization. Node
 * reports them itself, so the console sees the headers that were sent, and the connection is the same as without it.
 */
export class HttpLog {
  readonly #exchanges = new Map<number, Exchange[]>();
  readonly #open = new WeakMap<ClientRequest, { readonly exchange: Exchange; readonly startedAt: number }>();
  /** Number of the oldest message that is in memory. */
  #first = 1;
  readonly #onStart = (data: unknown) => this.#start(data as { readonly request: ClientRequest });
  readonly #onResponse = (data: unknown) =>
    this.#respond(data as { request: ClientRequest; response: IncomingMessage });

  /** Observes the requests of this process until `close`. */
  open(): void {
    subscribe('http.client.request.start', this.#onStart);
    subscribe('http.client.response.finish', this.#onResponse);
  }

  close(): void {
    unsubscribe('http.client.request.start', this.#onStart);
    unsubscribe('http.client.response.finish', this.#onResponse);
  }

  /** Marks the requests that follow in this asynchronous context as those of a message. */
  follow(seq: number): void {
    sentMessage.enterWith({ log: this, seq });
  }

  /** Drops the requests of the messages before one of them, because their headers can have secrets. */
  dropBefore(seq: number): void {
    if (seq === this.#first) return;
    this.#first = seq;
    for (const each of this.#exchanges.keys()) if (each < seq) this.#exchanges.delete(each);
  }

  /** Returns the requests of a message, the oldest first. */
  read(seq: number): readonly HttpExchangeView[] {
    return (this.#exchanges.get(seq) ?? []).map(exchange => ({
      ...exchange,
      url: redactSecrets(exchange.url),
      requestHeaders: exchange.requestHeaders.map(maskHeader),
      responseHeaders: exchange.responseHeaders.map(maskHeader),
    }));
  }

  /** Returns the value of a header with its secrets. */
  reveal(seq: number, exchange: number, side: 'request' | 'response', index: number): string | undefined {
    const found = this.#exchanges.get(seq)?.[exchange];
    return (side === 'request' ? found?.requestHeaders : found?.responseHeaders)?.[index]?.[1];
  }

  #start({ request }: { readonly request: ClientRequest }): void {
    const sent = sentMessage.getStore();
    if (sent?.log !== this || sent.seq < this.#first) return;
    const startedAt = performance.now();
    const exchange: Exchange = {
      method: request.method,
      url: `${request.protocol}//${String(request.getHeader('host'))}${request.path}`,
      requestHeaders: Object.entries(request.getHeaders()).map(([name, value]) => [name, cut(String(value))]),
      status: null,
      responseHeaders: [],
      firstByte: null,
      took: null,
    };
    this.#open.set(request, { exchange, startedAt });
    request.once('close', () => {
      exchange.took = measure(startedAt);
    });
    this.#add(sent.seq, exchange);
  }

  #add(seq: number, exchange: Exchange): void {
    const own = this.#exchanges.get(seq) ?? [];
    if (own.length >= MAX_EXCHANGES) own.shift();
    own.push(exchange);
    this.#exchanges.set(seq, own);
    dropOldest(this.#exchanges, MAX_MESSAGES);
  }

  #respond({ request, response }: { readonly request: ClientRequest; readonly response: IncomingMessage }): void {
    const open = this.#open.get(request);
    if (!open) return;
    const { exchange, startedAt } = open;
    exchange.status = response.statusCode ?? null;
    exchange.firstByte = measure(startedAt);
    const { rawHeaders } = response;
    exchange.responseHeaders = rawHeaders.flatMap((name, index) =>
      index % 2 === 0 ? [[name, cut(rawHeaders[index + 1] ?? '')] as const] : [],
    );
  }
}

const measure = (startedAt: number): number => Math.round((performance.now() - startedAt) * 10) / 10;

const cut = (value: string): string => value.slice(0, MAX_VALUE);

/** Hides the secrets of a header. The name of a session header ends like that of a secret. */
export const maskHeader = ([name, value]: readonly [string, string]): readonly [string, string] => [
  name,
  isSecretName(name) ? REDACTED : redactSecrets(value),
];
