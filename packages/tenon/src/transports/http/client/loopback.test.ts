import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../../cancellation/clock.js';
import type { TenonError } from '../../../jsonrpc/error.js';
import type { Id } from '../../../jsonrpc/message.js';
import type { MessageReceiver } from '../../../jsonrpc/transport.js';

/** What the tests of the HTTP clients stand on: a real server that answers by script, and a receiver that writes down. */

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** When the client hung up before the answer was whole. */
  readonly gone: Promise<void>;
}

export interface Loopback {
  readonly url: string;
  readonly origin: string;
  readonly seen: Seen[];
  close(): Promise<void>;
}

export type Script = (seen: Seen, response: ServerResponse, index: number) => void;

const running: Loopback[] = [];

export async function serve(script: Script): Promise<Loopback> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', chunk => {
      body += chunk;
    });
    const gone = new Promise<void>(resolve => response.once('close', () => response.writableFinished || resolve()));
    request.on('end', () => {
      const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body, gone };
      seen.push(one);
      script(one, response, seen.length - 1);
    });
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () =>
    new Promise<void>(done => {
      server.close(() => done());
      server.closeAllConnections();
    });
  const loopback = { url: `${origin}/mcp`, origin, seen, close };
  running.push(loopback);
  return loopback;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map(one => one.close()));
});

export function json(
  response: ServerResponse,
  value: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

/** Begins a stream, writes `text` and leaves it open. */
export function stream(response: ServerResponse, text = '', headers: Record<string, string> = {}): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers }).flushHeaders();
  if (text !== '') response.write(text);
  return response;
}

export function data(value: unknown, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(value)}\n\n`;
}

export const ask = (id: Id = 1) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'x' } }) as const;
export const answer = (id: Id = 1, result = {}) => ({ jsonrpc: '2.0', id, result }) as const;
export const note = (n = 1) => ({ jsonrpc: '2.0', method: 'notifications/progress', params: { n } }) as const;

export interface Notes extends MessageReceiver {
  readonly messages: unknown[];
  readonly bad: TenonError[];
  readonly gone: { id: Id; error: TenonError }[];
  readonly ends: (TenonError | undefined)[];
  /** Resolves as soon as `check` holds. */
  until(check: (notes: Notes) => boolean): Promise<void>;
}

export function takeNotes(): Notes {
  const waiting = new Set<() => void>();
  const changed = (_count: number) => {
    for (const check of waiting) check();
  };
  const notes: Notes = {
    messages: [],
    bad: [],
    gone: [],
    ends: [],
    onMessage: value => changed(notes.messages.push(value)),
    onParseError: error => changed(notes.bad.push(error)),
    onResponseLost: (id, error) => changed(notes.gone.push({ id, error })),
    onClose: error => changed(notes.ends.push(error)),
    until: check =>
      new Promise(done => {
        const look = () => {
          if (!check(notes)) return;
          waiting.delete(look);
          done();
        };
        waiting.add(look);
        look();
      }),
  };
  return notes;
}

/** Time that stands still until a test moves it. */
export interface StillClock extends Clock {
  /** Resolves with the wait of the next timer that is set, or that is set already and not yet seen. */
  timer(): Promise<number>;
  pass(ms: number): void;
}

export function stillClock(): StillClock {
  let now = 0;
  const timers = new Set<{ at: number; run: () => void }>();
  const set: number[] = [];
  const wanting: ((ms: number) => void)[] = [];
  return {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.add(timer);
      const want = wanting.shift();
      if (want) want(ms);
      else set.push(ms);
      return () => timers.delete(timer);
    },
    timer: async () => set.shift() ?? new Promise(resolve => wanting.push(resolve)),
    pass(ms) {
      now += ms;
      for (const timer of timers) {
        if (timer.at > now) continue;
        timers.delete(timer);
        timer.run();
      }
    },
  };
}

describe('the loopback server', () => {
  it('answers by script and remembers what it saw', async () => {
    const { url, seen } = await serve((_, response) => json(response, { ok: true }));
    expect(await (await fetch(url, { method: 'POST', body: 'hello' })).json()).toEqual({ ok: true });
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/mcp', body: 'hello' });
  });
});
