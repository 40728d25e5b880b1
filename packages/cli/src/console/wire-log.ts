import { isObject, REDACTED, toJsonObject } from '@tenon/base';
import { writeJson } from '@tenon/base/writers';
import type { SearchResult, WireRow } from '@tenon/console/api';
import { digestRequestState, type MessageFault, redactFault, redactMessage } from '@tenon/testing';
import type { JsonRpcMessage } from 'tenon';
import { dropOldest } from './drop-oldest.js';
import { sliceMember } from './json-part.js';
import { type MessageLinks, type MessageMembers, readLinks } from './trace/message-links.js';
import type { LinkedMessage } from './trace/trace-requests.js';

/** Messages that open a connection. */
export const OPENING_METHODS = new Set(['initialize', 'notifications/initialized', 'server/discover']);
/** Maximum number of messages in memory. The oldest are dropped. */
const MAX_MESSAGES = 100_000;
/** Maximum number of requests without a response that are known. The oldest are forgotten. */
const MAX_OPEN = 20_000;
/** Maximum number of connections whose protocol version is known. The longest unused are forgotten. */
const MAX_CONNECTIONS = 10_000;
/** Maximum size of all bodies in memory, in characters. The oldest bodies are dropped. */
const MAX_BODIES = 64_000_000;
/** Maximum size of a body whose masked values are kept for the page, in characters. */
const MAX_MASKED = 256_000;
/** Size of the bodies that are searched before other work continues, in characters. */
const SEARCH_STEP = 2_000_000;
/** Maximum length of the name of a tool, prompt or resource in a row. */
const MAX_NAME = 200;
/** Maximum number of input requests of one result that its row names. */
const MAX_INPUTS = 20;
/** Maximum length of a method, an id or a version in a row. */
const MAX_WORD = 200;
const VERSION_META = 'io.modelcontextprotocol/protocolVersion';

/** A message of one connection. */
export interface ObservedMessage {
  readonly server: string;
  /** Number of the connection: the ids of two connections are independent. */
  readonly connection: number;
  readonly from: 'client' | 'server';
  readonly message: JsonRpcMessage;
  /** Call to which the message belongs, if it is known. */
  readonly call: number | undefined;
  /** ID of the client's request on whose stream the server sent the message, if it is known. */
  readonly relatedTo?: string | number | undefined;
  /** Connection of a gateway. */
  readonly hop?: WireRow['hop'];
  /** `seq` of the request that the gateway served when it sent this one. */
  readonly cause?: number | undefined;
  /** Fault that the user has planned for it. */
  readonly fault?: MessageFault | undefined;
  /** The message before its fault, if `message` is the one after it. */
  readonly before?: JsonRpcMessage | undefined;
  /**
   * Digest of its `requestState`, which a recording masks.
   * @default that of the message
   */
  readonly stateDigest?: string | undefined;
  /**
   * Milliseconds since 1970.
   * @default now
   */
  readonly time?: number | undefined;
}

/** A message as the log has it. */
export interface StoredMessage {
  readonly row: WireRow;
  readonly connection: number;
  readonly relatedTo: string | number | undefined;
  readonly fault: MessageFault | undefined;
  /** JSON text without secrets. Absent if it is not in memory any more. */
  readonly body: string | undefined;
  /** JSON text of the message before its fault. Absent if it is that of `body`. */
  readonly before: string | undefined;
  /** Digest of its `requestState`, if it is masked. */
  readonly stateDigest: string | undefined;
}

interface MessageOrigin extends Pick<StoredMessage, 'connection' | 'relatedTo' | 'fault' | 'before' | 'stateDigest'> {
  readonly links: MessageLinks;
}

interface OpenRequest {
  readonly seq: number;
  readonly method: string;
  readonly name: string | undefined;
  readonly call: number | undefined;
  readonly startedAt: number;
}

/** Messages of all servers, in their order. Bodies are stored without secrets. */
export class WireLog {
  readonly #rows: WireRow[] = [];
  readonly #bodies = new Map<number, string>();
  /** Messages of which a part is masked. */
  readonly #masked = new Map<number, JsonRpcMessage>();
  readonly #origins = new Map<number, MessageOrigin>();
  readonly #open = new Map<string, OpenRequest>();
  /** Protocol versions by connection. */
  readonly #versions = new Map<number, string>();
  /** Texts of the messages of results. */
  readonly #results = new WeakMap<object, string>();
  readonly #onRow: () => void;
  #bodySize = 0;
  #first = 1;
  #last = 0;

  constructor(onRow: () => void) {
    this.#onRow = onRow;
  }

  /** `seq` of the oldest message. */
  get first(): number {
    return this.#first;
  }

  /** Adds a message, and returns its row. */
  add(observed: ObservedMessage): WireRow {
    const { server, connection, from, message, call, relatedTo, hop, cause, fault, before, time } = observed;
    const { id, method, params, result, error }: MessageMembers = message;
    const stateDigest = observed.stateDigest?.slice(0, MAX_WORD) ?? digestRequestState(message);
    const isKnownId = typeof id === 'string' || typeof id === 'number';
    const body = writeJson(redactMessage(message));
    const isMasked = body.length <= MAX_MASKED && body.includes(REDACTED);
    const now = time ?? performance.now();
    const seq = this.#last + 1;
    // A response goes the other way than its request.
    const asker = typeof method === 'string' ? from : from === 'client' ? 'server' : 'client';
    const key = `${connection} ${asker} ${typeof id} ${String(id)}`;
    const request = typeof method === 'string' ? undefined : this.#open.get(key);
    // A stream that is cut before a response is resumed, and then has it again.
    if (request && fault?.kind !== 'cut') this.#open.delete(key);
    const name = typeof method === 'string' ? findRequestName(params)?.slice(0, MAX_NAME) : request?.name;
    const owner = call ?? request?.call;
    const { resultType, isError, inputRequests } = toJsonObject(result);
    const inputs = listInputMethods(inputRequests);
    const version = readVersion(params, result) ?? this.#versions.get(connection);
    if (version !== undefined) {
      this.#versions.delete(connection);
      this.#versions.set(connection, version);
      dropOldest(this.#versions, MAX_CONNECTIONS);
    }
    const row: WireRow = {
      seq,
      time: time ?? Date.now(),
      server,
      connection,
      from,
      kind: typeof method === 'string' ? (isKnownId ? 'request' : 'notification') : error ? 'error' : 'result',
      method: typeof method === 'string' ? method.slice(0, MAX_WORD) : (request?.method ?? ''),
      size: body.length,
      ...(isKnownId ? { id: typeof id === 'string' ? id.slice(0, MAX_WORD) : id } : {}),
      ...(owner === undefined ? {} : { call: owner }),
      ...(name === undefined ? {} : { name }),
      ...(version === undefined ? {} : { version }),
      ...(typeof resultType === 'string' ? { resultType: resultType.slice(0, MAX_WORD) } : {}),
      ...(inputs.length === 0 ? {} : { inputs }),
      ...(isError === true ? { isError } : {}),
      ...(fault === undefined ? {} : { fault: fault.kind }),
      ...(hop === undefined ? {} : { hop }),
      ...(cause === undefined ? {} : { cause }),
      ...(request ? { request: request.seq, took: Math.round((now - request.startedAt) * 10) / 10 } : {}),
    };
    if (row.kind === 'request') {
      this.#open.set(key, { seq, method: row.method, name, call: owner, startedAt: now });
      dropOldest(this.#open, MAX_OPEN);
    }
    this.#origins.set(seq, {
      connection,
      relatedTo,
      fault: fault && redactFault(fault),
      before: before && writeJson(redactMessage(before)),
      stateDigest,
      links: readLinks(message, stateDigest),
    });
    if (isObject(result)) this.#results.set(result, body);
    this.#store(row, body);
    if (isMasked) this.#masked.set(row.seq, message);
    return row;
  }

  /** Returns the call of an open request of the client. */
  findCall(connection: number, id: unknown): number | undefined {
    return this.#findOpen(connection, id)?.call;
  }

  /** Tells if a response of the server answers a request that opens the connection. */
  opensConnection(connection: number, id: unknown): boolean {
    return OPENING_METHODS.has(this.#findOpen(connection, id)?.method ?? '');
  }

  #findOpen(connection: number, id: unknown): OpenRequest | undefined {
    return this.#open.get(`${connection} client ${typeof id} ${String(id)}`);
  }

  /** Returns the `seq` of an open request of the client. */
  findRequest(connection: number, id: unknown): number | undefined {
    return this.#open.get(`${connection} client ${typeof id} ${String(id)}`)?.seq;
  }

  /** Returns all messages with the values that connect them, the oldest first. */
  listLinked(): LinkedMessage[] {
    return this.#rows.map(row => {
      const { relatedTo, links = {} } = this.#origins.get(row.seq) ?? {};
      return { row, relatedTo, links };
    });
  }

  #store(row: WireRow, body: string): void {
    this.#last = row.seq;
    this.#rows.push(row);
    this.#bodies.set(row.seq, body);
    this.#bodySize += body.length;
    for (const [seq, text] of this.#bodies) {
      if (this.#bodySize <= MAX_BODIES || seq === row.seq) break;
      this.#bodies.delete(seq);
      this.#masked.delete(seq);
      this.#bodySize -= text.length;
    }
    // Rows are removed many at a time, because each removal moves all of them.
    if (this.#rows.length > MAX_MESSAGES * 1.1) {
      for (const { seq } of this.#rows.splice(0, this.#rows.length - MAX_MESSAGES)) this.#dropBody(seq);
      this.#first = this.#rows[0]?.seq ?? 1;
    }
    this.#onRow();
  }

  #dropBody(seq: number): void {
    this.#bodySize -= this.#bodies.get(seq)?.length ?? 0;
    this.#bodies.delete(seq);
    this.#masked.delete(seq);
    this.#origins.delete(seq);
  }

  /** Returns all messages, the oldest first. */
  list(): StoredMessage[] {
    return this.#rows.map(row => {
      const { connection = 0, relatedTo, fault, before, stateDigest } = this.#origins.get(row.seq) ?? {};
      return { row, connection, relatedTo, fault, before, stateDigest, body: this.#bodies.get(row.seq) };
    });
  }

  /** Returns the rows after one of them, at most `max`. */
  readAfter(seq: number, max: number): readonly WireRow[] {
    const start = Math.max(0, seq + 1 - this.#first);
    return this.#rows.slice(start, start + max);
  }

  /** Returns one message with its JSON text. `undefined`: it is not in memory. */
  read(seq: number): { readonly row: WireRow; readonly text: string } | undefined {
    const row = this.#rows[seq - this.#first];
    const text = this.#bodies.get(seq);
    return row === undefined || text === undefined ? undefined : { row, text };
  }

  /** Returns the JSON text of a received result without secrets, as long as the result is in memory. */
  findResultText(result: object): string | undefined {
    const body = this.#results.get(result);
    return body === undefined ? undefined : sliceMember(body, 'result');
  }

  /** Returns a value of a message with its secrets. `undefined`: it is not in memory. */
  reveal(seq: number, path: unknown): unknown {
    if (!Array.isArray(path)) return undefined;
    return path.reduce<unknown>((value, name) => {
      if (Array.isArray(value)) return value[Number(name)];
      return isObject(value) && typeof name === 'string' && Object.hasOwn(value, name) ? value[name] : undefined;
    }, this.#masked.get(seq));
  }

  /** Returns the messages of a call that are in memory. */
  listCall(call: number): number[] {
    return this.#rows.flatMap(row => (row.call === call && row.from === 'client' ? [row.seq] : []));
  }

  /** Finds the messages after one of them whose bodies contain texts, in any case. Other work continues meanwhile. */
  async search(texts: readonly string[], after: number): Promise<SearchResult> {
    const wanted = texts.map(text => text.toLowerCase());
    const found = wanted.map((): number[] => []);
    const last = this.#last;
    let searched = 0;
    for (let seq = Math.max(after + 1, this.#first); seq <= last; seq += 1) {
      const body = this.#bodies.get(seq)?.toLowerCase();
      if (body === undefined) continue;
      for (const [index, text] of wanted.entries()) if (body.includes(text)) found[index]?.push(seq);
      searched += body.length;
      if (searched < SEARCH_STEP) continue;
      searched = 0;
      await new Promise(resolve => setImmediate(resolve));
    }
    return { found, last };
  }
}

/** Returns the protocol version that a message names: in its `_meta`, or in an `initialize`. */
function readVersion(params: unknown, result: unknown): string | undefined {
  const meta = isObject(params) && isObject(params._meta) ? params._meta[VERSION_META] : undefined;
  const negotiated = isObject(result) ? result.protocolVersion : undefined;
  const version = meta ?? negotiated;
  return typeof version === 'string' ? version.slice(0, MAX_WORD) : undefined;
}

/** Returns the tool, prompt or resource that a request names. */
export function findRequestName(params: unknown): string | undefined {
  if (!isObject(params)) return undefined;
  const { name, uri } = params;
  const found = typeof name === 'string' ? name : uri;
  return typeof found === 'string' ? found : undefined;
}

/** Lists the methods of the input requests in a result. */
function listInputMethods(requests: unknown): string[] {
  const values = isObject(requests) ? Object.values(requests).slice(0, MAX_INPUTS) : [];
  return values.flatMap(each =>
    isObject(each) && typeof each.method === 'string' ? [each.method.slice(0, MAX_WORD)] : [],
  );
}
