import type { WireRow } from '@tenon/console/api';
import { type MessageLinks, readKey } from './message-links.js';

/** Maximum number of requests with one value that are tried as the cause of another one with it. A peer chooses these values. */
const MAX_CANDIDATES = 100;

/** A message with the values that connect it with others. */
export interface LinkedMessage {
  readonly row: WireRow;
  /** ID of the client's request on whose stream the server sent the message, if it is known. */
  readonly relatedTo?: string | number | undefined;
  readonly links: MessageLinks;
}

/** Messages of one process: the live session, or a recording. */
export interface TraceSource {
  /** Name of the recording. `null`: the live session. */
  readonly recording: string | null;
  readonly messages: readonly LinkedMessage[];
}

/** Reason why a request belongs to another one. */
export interface Join {
  readonly to: TraceRequest;
  readonly reason: string;
  readonly isCertain: boolean;
  /** True if both are one request, in the recordings of its sender and of its receiver. */
  readonly isSame?: boolean | undefined;
}

/** A request with its response and its notifications. */
export interface TraceRequest {
  readonly source: TraceSource;
  readonly message: LinkedMessage;
  response: LinkedMessage | undefined;
  isCancelled: boolean;
  readonly notifications: LinkedMessage[];
  /** The request that has caused it. */
  cause: Join | undefined;
  /** The request that it continues or repeats. */
  previous: Join | undefined;
}

/** Names of both sides of a connection, as they have told them. */
interface Sides {
  client?: string | undefined;
  server?: string | undefined;
}

/** Collects the requests of all sources, and finds the one that each belongs to. Times do not count. */
export function joinRequests(sources: readonly TraceSource[]): TraceRequest[] {
  const sides = new Map<string, Sides>();
  const all = sources.flatMap(source => readSource(source, sides));
  joinTraces(all, sides);
  joinRounds(all);
  return all;
}

/** Groups requests by a value. Those without it are left out. */
export function groupBy<K>(
  all: readonly TraceRequest[],
  findKey: (request: TraceRequest) => K | undefined,
): Map<K, TraceRequest[]> {
  const groups = new Map<K, TraceRequest[]>();
  for (const request of all) {
    const key = findKey(request);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(request);
    else groups.set(key, [request]);
  }
  return groups;
}

const toConnection = (source: TraceSource, { row }: LinkedMessage): string =>
  JSON.stringify([source.recording, row.connection]);

/** Reads the requests of one source in the order of its messages. */
function readSource(source: TraceSource, sides: Map<string, Sides>): TraceRequest[] {
  const bySeq = new Map<number, TraceRequest>();
  const byId = new Map<string, TraceRequest>();
  const byToken = new Map<string, TraceRequest>();
  const open = new Map<string, Set<TraceRequest>>();
  for (const message of source.messages) {
    const { row, links } = message;
    const connection = toConnection(source, message);
    const names = sides.get(connection) ?? {};
    sides.set(connection, { client: links.client ?? names.client, server: links.gateway ?? names.server });
    const running = open.get(connection) ?? new Set();
    open.set(connection, running);
    const findById = (from: string, id: unknown) => byId.get(`${connection} ${from} ${readKey(id)}`);
    const findOnStream = (): Join | undefined => {
      const related = message.relatedTo === undefined ? undefined : findById('client', message.relatedTo);
      if (related) return { to: related, reason: 'sent on the stream of the request', isCertain: true };
      const caused = row.cause === undefined ? undefined : bySeq.get(row.cause);
      if (caused) return { to: caused, reason: SERVED, isCertain: true };
      const [only] = running.size === 1 ? running : [];
      return only && { to: only, reason: 'the only open request of the connection', isCertain: false };
    };
    if (row.kind === 'request') {
      const request: TraceRequest = {
        source,
        message,
        response: undefined,
        isCancelled: false,
        notifications: [],
        cause: undefined,
        previous: undefined,
      };
      const key = `${connection} ${row.from} ${readKey(row.id)}`;
      const same = byId.get(key);
      if (row.from === 'server') request.cause = findOnStream();
      else {
        const caused = row.cause === undefined ? undefined : bySeq.get(row.cause);
        if (caused) request.cause = { to: caused, reason: SERVED, isCertain: true };
        if (row.method !== 'subscriptions/listen') running.add(request);
      }
      if (same && !same.response && same.message.row.method === row.method)
        request.previous = { to: same.previous?.to ?? same, reason: 'sent again with the same ID', isCertain: true };
      byId.set(key, request);
      bySeq.set(row.seq, request);
      if (links.token !== undefined) byToken.set(`${connection} ${row.from} ${links.token}`, request);
    } else if (row.kind === 'notification') {
      const other = row.from === 'client' ? 'server' : 'client';
      const cancelled =
        links.cancels === undefined ? undefined : byId.get(`${connection} ${row.from} ${links.cancels}`);
      if (cancelled) cancelled.isCancelled = true;
      const owner =
        cancelled ??
        (links.progress === undefined ? undefined : byToken.get(`${connection} ${other} ${links.progress}`)) ??
        (row.from === 'server' ? findOnStream()?.to : undefined);
      owner?.notifications.push(message);
    } else {
      const request = row.request === undefined ? undefined : bySeq.get(row.request);
      if (!request) continue;
      request.response = message;
      running.delete(request);
    }
  }
  return [...bySeq.values()];
}

const SERVED = 'sent by the gateway while it served the request';

/** Joins requests of several processes by the trace ID that their callers have sent. */
function joinTraces(all: readonly TraceRequest[], sides: ReadonlyMap<string, Sides>): void {
  const sent = all.filter(({ message }) => message.row.from === 'client');
  const byTrace = groupBy(sent, ({ message }) => message.links.trace);
  const bySpan = groupBy(sent, ({ message }) => message.links.span);
  for (const request of all) {
    const { trace, span } = request.message.links;
    if (trace === undefined || request.cause || request.message.row.from !== 'client') continue;
    const candidates = new Set([
      ...(bySpan.get(span ?? '')?.slice(0, MAX_CANDIDATES) ?? []),
      ...(byTrace.get(trace)?.slice(0, MAX_CANDIDATES) ?? []),
    ]);
    const own = toConnection(request.source, request.message);
    const { client } = sides.get(own) ?? {};
    const received = [...candidates].filter(
      other => isReceived(other, request) && client === sides.get(toConnection(other.source, other.message))?.client,
    );
    if (received[0]) {
      const [to] = received;
      const isCertain = received.length === 1;
      const reason = isCertain
        ? 'is the request that the gateway has sent, in the recording of its receiver'
        : `may be each of ${received.length} requests that the gateway has sent`;
      request.cause = { to, reason, isCertain, isSame: true };
      continue;
    }
    const outer = [...candidates].filter(other => {
      const connection = toConnection(other.source, other.message);
      if (connection === own || hasCause(other, request)) return false;
      const { server } = sides.get(connection) ?? {};
      return hasPrefix(other, request) || (client !== undefined && client === server);
    });
    const same = outer.filter(other => other.message.links.span === span);
    const named = (same.length > 0 ? same : outer).filter(other => isSameAction(other, request));
    const [best] = named.length > 0 ? named : same.length > 0 ? same : outer;
    const count = named.length || same.length || outer.length;
    if (best)
      request.cause = {
        to: best,
        reason:
          count === 1
            ? 'has the trace ID of the request, which its client has received'
            : `has the trace ID of ${count} requests, each of which may have caused it`,
        isCertain: count === 1,
      };
  }
}

/** Tells if one process may have received the request that a gateway in another process has sent. */
function isReceived(sent: TraceRequest, received: TraceRequest): boolean {
  const { row, links } = sent.message;
  return (
    sent.source !== received.source &&
    row.hop === 'upstream' &&
    received.message.row.hop !== 'upstream' &&
    row.method === received.message.row.method &&
    row.name === received.message.row.name &&
    links.span === received.message.links.span &&
    links.sentState === received.message.links.sentState &&
    !hasCause(sent, received)
  );
}

/** Tells if a request has another one above it. */
function hasCause(request: TraceRequest, other: TraceRequest): boolean {
  for (let at: TraceRequest | undefined = request; at; at = at.cause?.to) if (at === other) return true;
  return false;
}

/** True if a tool has the name of another one with the prefix of a server, as a gateway names it. */
function hasPrefix(outer: TraceRequest, inner: TraceRequest): boolean {
  const { name = '', method } = outer.message.row;
  const own = inner.message.row.name ?? '';
  return own !== '' && method === inner.message.row.method && name.endsWith(`__${own}`);
}

const isSameAction = (one: TraceRequest, other: TraceRequest): boolean =>
  hasPrefix(one, other) ||
  (one.message.row.method === other.message.row.method && one.message.row.name === other.message.row.name);

/** Joins the requests of one call: its rounds, its task, and requests with the same trace whose order is not known. */
function joinRounds(all: readonly TraceRequest[]): void {
  const states = groupBy(all, ({ response }) => response?.links.givenState);
  // The response to `tasks/get` names the task, too.
  const tasks = groupBy(all, ({ message, response }) =>
    message.links.sentTask === undefined ? response?.links.givenTask : undefined,
  );
  const calls = new Map<number, TraceRequest>();
  const traces = new Map<string, TraceRequest>();
  for (const request of all) {
    const { row, links } = request.message;
    if (request.cause || row.from !== 'client') continue;
    const { sentState, sentTask, span } = links;
    request.previous ??= choosePrevious(request, sentState, states, 'sends the requestState of the result');
    request.previous ??= choosePrevious(request, sentTask, tasks, 'names the task of the result');
    // The console knows its own calls. Those of a recording are a guess.
    const first = row.call === undefined || request.source.recording !== null ? undefined : calls.get(row.call);
    if (first) request.previous ??= { to: first, reason: 'the console has sent it for the same call', isCertain: true };
    else if (row.call !== undefined) calls.set(row.call, request);
    const sameSpan = span === undefined ? undefined : traces.get(span);
    if (sameSpan && !continues(sameSpan, request))
      request.previous ??= {
        to: sameSpan,
        reason: 'has the same traceparent. The order is not known',
        isCertain: false,
      };
    else if (span !== undefined) traces.set(span, request);
    if (request.previous && continues(request.previous.to, request)) request.previous = undefined;
  }
}

function choosePrevious(
  request: TraceRequest,
  key: string | undefined,
  known: ReadonlyMap<string, readonly TraceRequest[]>,
  reason: string,
): Join | undefined {
  const found =
    known
      .get(key ?? '')
      ?.slice(0, MAX_CANDIDATES)
      .filter(each => each !== request) ?? [];
  const { server, method, name } = request.message.row;
  const isTask = request.message.links.sentTask !== undefined;
  const alike = found.filter(({ message: { row } }) => isTask || (row.method === method && row.name === name));
  const near = alike.filter(({ message: { row } }) => row.server === server);
  const chosen = near.length > 0 ? near : alike.length > 0 ? alike : found;
  const [to] = chosen;
  return to && { to, reason, isCertain: chosen.length === 1 };
}

/** Tells if a request belongs to another one, in any number of steps. */
function continues(request: TraceRequest, other: TraceRequest): boolean {
  for (let at: TraceRequest | undefined = request; at; at = at.cause?.to ?? at.previous?.to)
    if (at === other) return true;
  return false;
}
