import { getDialect } from '../../packages/tenon/src/protocol/versions/index.js';
import type { HttpReply, Requester } from '../../packages/tenon/src/transports/http/client/requester.js';
import type { SpawnServer } from '../../packages/tenon/src/transports/stdio/server-process-types.js';
import { createTap, type ProtocolVersion, type Side, schemasPresent } from '../support/official-schema.js';

export type Json = Record<string, unknown>;

/** One message on the wire, as it was written there. */
export interface Crossing {
  readonly from: Side;
  readonly value: unknown;
}

/** One HTTP exchange, for those transports that have them. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly status: number;
  readonly contentType: string;
  readonly sessionId: string | undefined;
}

/** All that crosses between one client and one server, judged by the official schema of their protocol version. */
export interface Wire {
  readonly crossings: readonly Crossing[];
  readonly exchanges: Exchange[];
  /** What was wrong with messages so far; always empty where the schemas are not there. */
  readonly issues: readonly string[];
  crosses(from: Side, value: unknown): void;
  /** Until the next `rewind` the client may send what no protocol version knows: the test means to. */
  excuseClient(): void;
  /** Forgets what has crossed, so that a test sees its own messages only. */
  rewind(): void;
  /** The params of the requests or notifications of a method, by who sent them. */
  sent(from: Side, method: string): Json[];
  /** The last result or error that answered a request of a method. */
  answer(method: string): {
    readonly result: Json;
    readonly error: Json & { code: number; message: string };
    readonly id: unknown;
  };
}

/** Extensions are declared to peers of every protocol version: those that know of some look for them there. */
const extended = /capabilities: must NOT have additional properties \{"additionalProperty":"extensions"\}/;
const customMethods = /^(com\.example|notes|notifications\/notes)\//;
/** Methods of the tasks extension. The schema of its protocol version does not have them. */
const taskMethods = /^(tasks\/(get|update|cancel)|notifications\/tasks)$/;

function isCustom(version: ProtocolVersion, method: string): boolean {
  if (customMethods.test(method) || method === 'shutdown') return true;
  return getDialect(version)?.tasks === 'by-extension' && taskMethods.test(method);
}

export function createWire(version: ProtocolVersion): Wire {
  const tap = schemasPresent
    ? createTap(version, { exact: true, custom: method => isCustom(version, method) })
    : undefined;
  const issues: string[] = [];
  let crossings: Crossing[] = [];
  let excused = false;
  const messages = (from: Side): Json[] =>
    crossings
      .filter(each => each.from === from)
      .flatMap(({ value }) => (Array.isArray(value) ? value : [value]) as Json[]);
  return {
    get crossings() {
      return crossings;
    },
    exchanges: [],
    issues,
    crosses(from, value) {
      // A message in memory crosses by reference: a copy shows it as it was.
      crossings.push({ from, value: JSON.parse(JSON.stringify(value)) });
      const found = from === 'client' ? tap?.clientSends(value) : tap?.serverSends(value);
      if (!(excused && from === 'client')) issues.push(...(found ?? []).filter(error => !extended.test(error)));
    },
    excuseClient() {
      excused = true;
    },
    rewind() {
      crossings = [];
      excused = false;
    },
    sent: (from, method) =>
      messages(from)
        .filter(message => message.method === method)
        .map(({ params }) => (params ?? {}) as Json),
    answer(method) {
      for (const asker of ['client', 'server'] as const) {
        const request = messages(asker).findLast(message => message.method === method && 'id' in message);
        if (request === undefined) continue;
        const answers = messages(asker === 'client' ? 'server' : 'client');
        const found = answers.findLast(message => !('method' in message) && message.id === request.id);
        if (found) return found as never;
      }
      throw new Error(`nothing answered ${method}`);
    },
  };
}

/** Wraps a way to start processes: what goes through their standard streams is read along. */
export function recordSpawn(spawn: SpawnServer, wire: Wire): SpawnServer {
  return async (options, peer, stop) => {
    const child = await spawn(options, peer, stop);
    const { input, output } = child;
    const fromClient = lines(line => line && wire.crosses('client', JSON.parse(line)));
    const fromServer = lines(line => line && wire.crosses('server', JSON.parse(line)));
    return {
      ...child,
      input: {
        ...input,
        write(text, done) {
          fromClient(new TextEncoder().encode(text));
          input.write(text, done);
        },
      },
      output: {
        ...output,
        read: reader =>
          output.read({
            ...reader,
            push(bytes) {
              fromServer(bytes);
              reader.push(bytes);
            },
          }),
      },
    };
  };
}

/** Wraps an HTTP client: bodies and event streams are read along. */
export function recordRequester(requester: Requester, wire: Wire): Requester {
  return async request => {
    if (request.body !== undefined) wire.crosses('client', JSON.parse(request.body));
    const reply = await requester(request);
    const { method, url, headers, body } = request;
    wire.exchanges.push({
      method,
      url,
      headers,
      body: body === undefined ? undefined : JSON.parse(body),
      status: reply.status,
      contentType: reply.header('content-type') ?? '',
      sessionId: reply.header('mcp-session-id'),
    });
    return tappedReply(reply, wire);
  };
}

function tappedReply(reply: HttpReply, wire: Wire): HttpReply {
  return {
    ...reply,
    header: name => reply.header(name),
    async text(limit) {
      const text = await reply.text(limit);
      if (isJson(text)) wire.crosses('server', JSON.parse(text));
      return text;
    },
    read(each) {
      const event = events(data => wire.crosses('server', JSON.parse(data)));
      return reply.read(chunk => {
        event(chunk);
        each(chunk);
      });
    },
    cancel: () => reply.cancel(),
  };
}

const isJson = (text: string): boolean => /^\s*[[{]/.test(text);

/** The data of the messages in an event stream. */
function events(each: (data: string) => void): (chunk: Uint8Array) => void {
  let type = '';
  let data = '';
  return lines(line => {
    if (line.startsWith('event:')) type = line.slice(6).trim();
    else if (line.startsWith('data:')) data += line.slice(5).trim();
    else if (line === '') {
      if (data !== '' && type !== 'endpoint') each(data);
      type = '';
      data = '';
    }
  });
}

function lines(each: (line: string) => void): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  let rest = '';
  return chunk => {
    rest += decoder.decode(chunk, { stream: true });
    const parts = rest.split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) each(part.replace(/\r$/, ''));
  };
}
