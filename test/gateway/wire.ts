import { isProtocolVersion, type ProtocolVersion, type Side } from '../support/official-schema.js';
import { type Crossing, createWire, type Exchange, type Json, type Wire } from '../versions/wire.js';

/** What crosses on one connection. */
export type Recording = Pick<Wire, 'crossings' | 'exchanges' | 'issues' | 'crosses'>;

/** What crosses between one client and a server on all connections that it has made, each judged by itself. */
export interface Wires {
  /** The next connection. */
  open(): Recording;
  /** What was wrong so far on any of them. */
  readonly issues: readonly string[];
  readonly exchanges: readonly Exchange[];
  /** All messages that one side has sent. */
  messages(from: Side): Json[];
  /** The params of the requests and notifications of a method. */
  sent(from: Side, method: string): Json[];
  /** What answered the requests of a method whose params are such. */
  answers(method: string, such?: (params: Json) => boolean): Json[];
}

export function createWires(version: ProtocolVersion): Wires {
  const all: Recording[] = [];
  return {
    open() {
      const wire = record(version);
      all.push(wire);
      return wire;
    },
    get issues() {
      return all.flatMap(({ issues }) => issues);
    },
    get exchanges() {
      return all.flatMap(({ exchanges }) => exchanges);
    },
    messages: from => all.flatMap(wire => getMessages(wire, from)),
    sent: (from, method) =>
      all.flatMap(wire => getMessages(wire, from).filter(each => each.method === method)).map(getParams),
    answers: (method, such = () => true) =>
      all.flatMap(wire =>
        getMessages(wire, 'client')
          .filter(each => each.method === method && such(getParams(each)))
          .flatMap(({ id }) => getMessages(wire, 'server').filter(each => !('method' in each) && each.id === id)),
      ),
  };
}

/** One judge for each protocol version: compiling a schema takes its time, and connections are many. */
const checkers = new Map<ProtocolVersion, Wire>();
let connections = 0;

function getChecker(version: ProtocolVersion): Wire {
  const judge = checkers.get(version) ?? createWire(version);
  checkers.set(version, judge);
  return judge;
}

function findViolations(version: ProtocolVersion, from: Side, value: unknown): readonly string[] {
  const judge = getChecker(version);
  const before = judge.issues.length;
  judge.crosses(from, value);
  judge.rewind();
  return judge.issues.slice(before);
}

/**
 * A connection on which the peers come to speak a protocol version. Until they have agreed on it a message may name another: it
 * is judged by that one, and so is what answers it, unless the answer names one in its turn.
 */
function record(version: ProtocolVersion): Recording {
  const connection = ++connections;
  const [crossings, issues]: [Crossing[], string[]] = [[], []];
  const strays = new Map<string, { readonly named: ProtocolVersion; readonly request: Json }>();

  function one(from: Side, message: Json): readonly string[] {
    if (!('method' in message)) return answer(from, message);
    const named = findVersion(message);
    if (named === undefined || named === version) return findViolations(version, from, message);
    if ('id' in message) strays.set(`${from} ${message.id}`, { named, request: message });
    return findViolations(named, from, message);
  }

  function answer(from: Side, message: Json): readonly string[] {
    const asker = from === 'client' ? 'server' : 'client';
    const stray = strays.get(`${asker} ${message.id}`);
    if (stray === undefined) return findViolations(version, from, message);
    strays.delete(`${asker} ${message.id}`);
    const { protocolVersion } = (message.result ?? {}) as Json;
    const agreed = isProtocolVersion(protocolVersion) ? protocolVersion : stray.named;
    // What is wrong with the request was told by then.
    if (agreed !== stray.named) findViolations(agreed, asker, stray.request);
    return findViolations(agreed, from, message);
  }

  return {
    crossings,
    issues,
    exchanges: [],
    crosses(from, value) {
      const own = Array.isArray(value)
        ? value.map(each => separateIds(each, connection))
        : separateIds(value, connection);
      issues.push(...(Array.isArray(own) ? findViolations(version, from, own) : one(from, own)));
      crossings.push({ from, value: JSON.parse(JSON.stringify(value)) });
    },
  };
}

/** The protocol version that a message means, where it says so. */
function findVersion({ method, params }: Json): ProtocolVersion | undefined {
  const { _meta, protocolVersion } = (params ?? {}) as Json;
  const meta = (_meta ?? {}) as Json;
  const named = method === 'initialize' ? protocolVersion : meta['io.modelcontextprotocol/protocolVersion'];
  return isProtocolVersion(named) ? named : undefined;
}

/** A message with ids that no other connection has. */
function separateIds(value: unknown, connection: number): Json {
  const message = value as { id?: unknown; method?: unknown; params?: { requestId?: unknown } };
  const own = (id: unknown) =>
    typeof id === 'string' || Number.isInteger(id) ? `${connection} ${JSON.stringify(id)}` : id;
  const { params } = message;
  return {
    ...message,
    ...('id' in message ? { id: own(message.id) } : {}),
    ...(message.method === 'notifications/cancelled' && params
      ? { params: { ...params, requestId: own(params.requestId) } }
      : {}),
  };
}

const getMessages = ({ crossings }: Recording, from: Side): Json[] =>
  crossings
    .filter(each => each.from === from)
    .flatMap(({ value }) => (Array.isArray(value) ? value : [value]) as Json[]);

const getParams = ({ params }: Json): Json => (params ?? {}) as Json;

/** Cuts what comes in chunks into lines. */
export function createLineSplitter(each: (line: string) => void): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  let rest = '';
  return chunk => {
    rest += decoder.decode(chunk, { stream: true });
    const parts = rest.split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) each(part.replace(/\r$/, ''));
  };
}

/** Reads the events of a stream: their type, which is empty where none is given, and their data. */
export function createEventSplitter(each: (type: string, data: string) => void): (chunk: Uint8Array) => void {
  let type = '';
  let data: string[] = [];
  return createLineSplitter(line => {
    if (line.startsWith('event:')) type = line.slice(6).trim();
    else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
    else if (line === '') {
      if (data.length > 0) each(type, data.join('\n'));
      type = '';
      data = [];
    }
  });
}
