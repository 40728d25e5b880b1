import type { TraceBar, TraceMark, TraceProof, TraceView } from '@tenon/console/api';
import { alignClocks, type ClockShifts } from './align-clocks.js';
import { groupBy, joinRequests, type LinkedMessage, type TraceRequest, type TraceSource } from './trace-requests.js';

/** Maximum number of bars of one trace. */
const MAX_BARS = 500;
/** Maximum number of marks of one bar. */
const MAX_MARKS = 200;
/** Minimum duration of a bar of a gateway without a request, in milliseconds. The times have whole milliseconds. */
const MIN_OWN = 1;

/** States of the bars of tasks whose status is not `working`. */
const TASK_STATES: ReadonlyMap<string, TraceBar['state']> = new Map([
  ['completed', 'ok'],
  ['failed', 'error'],
  ['cancelled', 'cancelled'],
  ['input_required', 'waiting'],
]);

/** Decision of the policy of the gateway about a request. */
export interface TracedDecision {
  readonly id: number;
  /** `seq` of the request of the caller. */
  readonly request: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly action: string;
}

/** Messages from which a trace is read. */
export interface TraceInput {
  readonly sources: readonly TraceSource[];
  /** Any message of the call. */
  readonly root: TraceProof;
  /** Decisions of the policy of the gateway of the live session. */
  readonly decisions?: readonly TracedDecision[] | undefined;
  /** True if the live session is that of a gateway. */
  readonly isGateway?: boolean | undefined;
}

type Draft = { -readonly [K in keyof TraceBar]: TraceBar[K] };

/** Joins all messages that belong to the call of a message to one trace. `undefined`: the message is of no request. */
export function joinTrace(input: TraceInput): TraceView | undefined {
  const all = joinRequests(input.sources);
  const start = findRequest(all, input.root);
  if (!start) return undefined;
  const head = findHead(start);
  const followers = groupBy(all, each => (each.cause ? undefined : each.previous?.to));
  const children = groupBy(all, each => each.cause?.to);
  const chain = listChain(head, followers);
  const members = listMembers(chain, followers, children);
  const shifts = alignClocks(head.source, members);
  return new TraceWriter(input, shifts, followers, children).write(chain);
}

type Groups = ReadonlyMap<TraceRequest, readonly TraceRequest[]>;

/** Finds the request of a message: itself, the one to which it responds, or the one it notifies of. */
function findRequest(all: readonly TraceRequest[], { recording, seq }: TraceProof): TraceRequest | undefined {
  return all.find(
    ({ source, message, response, notifications }) =>
      source.recording === recording &&
      (message.row.seq === seq || response?.row.seq === seq || notifications.some(({ row }) => row.seq === seq)),
  );
}

/** Returns the first request of the call. */
function findHead(request: TraceRequest): TraceRequest {
  let head = request;
  for (let at: TraceRequest | undefined = request; at; at = at.cause?.to ?? at.previous?.to) head = at;
  return head;
}

/** Lists a request and all that continue it. */
function listChain(head: TraceRequest, followers: Groups): TraceRequest[] {
  const chain = [head];
  for (let index = 0; index < chain.length; index += 1) {
    const at = chain[index];
    if (at) chain.push(...(followers.get(at) ?? []));
  }
  return chain;
}

function listMembers(chain: readonly TraceRequest[], followers: Groups, children: Groups): TraceRequest[] {
  const members = [...chain];
  for (let index = 0; index < members.length; index += 1) {
    const at = members[index];
    if (!at) continue;
    for (const child of children.get(at) ?? []) members.push(...listChain(child, followers));
  }
  return members;
}

/** Writes the bars of a trace, each after its parent. */
class TraceWriter {
  readonly #input: TraceInput;
  readonly #shifts: ClockShifts;
  readonly #followers: Groups;
  readonly #children: Groups;
  readonly #bars: Draft[] = [];
  /** The first request for the status of each written task. */
  readonly #tasks = new Set<TraceRequest>();
  #omitted = 0;

  constructor(input: TraceInput, shifts: ClockShifts, followers: Groups, children: Groups) {
    this.#input = input;
    this.#shifts = shifts;
    this.#followers = followers;
    this.#children = children;
  }

  write(chain: readonly TraceRequest[]): TraceView {
    const [head] = chain;
    if (!head) throw new RangeError('a trace has no request');
    if (chain.length > 1) this.#writeCall(chain, null, 0);
    else this.#writeRequest(head, null, 0);
    const [first] = this.#bars;
    const start = first?.start ?? 0;
    const end = Math.max(start, ...this.#bars.map(bar => bar.end ?? bar.start), ...this.#bars.flatMap(listTimes));
    const { row } = head.message;
    return {
      title: `${row.method}${row.name === undefined ? '' : ` ${row.name}`}`,
      start,
      end,
      bars: this.#bars,
      shifts: [...this.#shifts].filter(([, by]) => by !== 0).map(([{ recording }, by]) => ({ recording, by })),
      omitted: this.#omitted,
      isOpen: this.#bars.some(({ kind, state }) => (kind === 'request' || kind === 'task') && state === 'open'),
    };
  }

  #timeOf(source: TraceSource, { row }: LinkedMessage): number {
    return row.time + (this.#shifts.get(source) ?? 0);
  }

  #add(bar: Omit<Draft, 'id' | 'late'>): Draft | undefined {
    if (this.#bars.length >= MAX_BARS) {
      this.#omitted += 1;
      return undefined;
    }
    const parent = bar.parent === null ? undefined : this.#bars[bar.parent];
    // A cause precedes its effect: a clock that was set back, or clocks that contradict each other, move the bar.
    const start = Math.max(bar.start, parent?.start ?? bar.start);
    const end = bar.end === null ? null : Math.max(start, bar.end);
    const late = end !== null && parent?.end != null ? Math.max(0, end - parent.end) : 0;
    const added = { ...bar, start, end, late, id: this.#bars.length, shift: bar.shift + (start - bar.start) };
    this.#bars.push(added);
    return added;
  }

  /** Writes a call with several requests: its rounds, and the input between them. */
  #writeCall(chain: readonly TraceRequest[], parent: number | null, depth: number): void {
    const timed = chain
      .map((request, index) => ({ request, index, start: this.#timeOf(request.source, request.message) }))
      .sort((a, b) => a.start - b.start || a.index - b.index);
    const [first] = timed;
    if (!first) return;
    const ends = chain.map(({ source, response }) => (response ? this.#timeOf(source, response) : null));
    const last = timed.at(-1)?.request;
    const { row } = first.request.message;
    const call = this.#add({
      parent,
      depth,
      kind: 'call',
      hop: this.#describeHop(first.request),
      label: describe(row),
      start: first.start,
      end: ends.some(end => end === null) ? null : Math.max(...ends.map(Number)),
      state: last ? readState(last) : 'open',
      outcome: `${chain.length} requests`,
      join: '',
      isCertain: true,
      recording: first.request.source.recording,
      shift: 0,
      proofs: [],
      marks: [],
    });
    if (!call) return;
    const polls = this.#groupPolls(chain);
    for (const { request } of timed) {
      if (this.#writeTask(request, polls, chain, call)) continue;
      const { previous } = request;
      if (previous) this.#writeInput(previous.to, request, call);
      this.#writeRequest(request, call.id, depth + 1);
    }
  }

  /** Writes the time from a result that requests input until the request with the responses. */
  #writeInput(before: TraceRequest, request: TraceRequest, call: Draft): void {
    const { response } = before;
    const inputs = response?.row.inputs;
    if (!response || (inputs === undefined && response.row.resultType !== 'input_required')) return;
    const actions = request.message.links.actions ?? [];
    const start = this.#timeOf(before.source, response);
    this.#add({
      parent: call.id,
      depth: call.depth + 1,
      kind: 'input',
      hop: this.#describeHop(request).split(' → ')[0] ?? '',
      label: inputs?.join(', ') ?? 'input',
      start,
      end: Math.max(start, this.#timeOf(request.source, request.message)),
      state: actions.some(action => action === 'decline' || action === 'cancel') ? 'cancelled' : 'ok',
      outcome: actions.length === 0 ? 'sent again without a response' : `answered: ${actions.join(', ')}`,
      join: request.previous?.reason ?? '',
      isCertain: request.previous?.isCertain ?? true,
      recording: before.source.recording,
      shift: 0,
      proofs: [toProof(before.source, response), toProof(request.source, request.message)],
      marks: [],
    });
  }

  #writeRequest(request: TraceRequest, parent: number | null, depth: number): void {
    const { source, message, response } = request;
    const { join = '', isCertain = true } = describeJoin(request);
    const bar = this.#add({
      parent,
      depth,
      kind: 'request',
      hop: this.#describeHop(request),
      label: describe(message.row),
      start: this.#timeOf(source, message),
      end: response ? this.#timeOf(source, response) : null,
      state: readState(request),
      outcome: describeOutcome(request),
      join,
      isCertain,
      recording: source.recording,
      shift: this.#shifts.get(source) ?? 0,
      proofs: [toProof(source, message), ...(response ? [toProof(source, response)] : [])],
      marks: this.#listMarks(request),
    });
    if (!bar) return this.#skip(request);
    const caused = (this.#children.get(request) ?? [])
      .flatMap(child => listChain(child, this.#followers))
      .map((child, index) => ({ child, index, start: this.#timeOf(child.source, child.message) }))
      .sort((a, b) => a.start - b.start || a.index - b.index)
      .map(({ child }) => child);
    this.#writeWork(request, caused, bar);
  }

  /** Counts the bars that are not written below a bar that is left out. */
  #skip(request: TraceRequest): void {
    for (const child of this.#children.get(request) ?? [])
      for (const each of listChain(child, this.#followers)) {
        this.#omitted += 1;
        this.#skip(each);
      }
  }

  /** Returns the time of the response to a request, or that of the request. */
  #endOf({ source, message, response }: TraceRequest): number {
    return this.#timeOf(source, response ?? message);
  }

  /** Groups the requests for the status of a task that have no bars of their own. */
  #groupPolls(requests: readonly TraceRequest[]): Map<string, TraceRequest[]> {
    return groupBy(requests, request => (this.#isPoll(request) ? request.message.links.sentTask : undefined));
  }

  /** Tells if a request, and all that it has caused, only read the status of a task. */
  #isPoll(request: TraceRequest): boolean {
    const { message, response, notifications } = request;
    return (
      message.row.method === 'tasks/get' &&
      response?.row.kind === 'result' &&
      notifications.length === 0 &&
      (this.#followers.get(request) ?? []).length === 0 &&
      (this.#children.get(request) ?? []).every(child => this.#isPoll(child))
    );
  }

  /** Lists the marks of a request for the status of a task, and of those that it has caused. */
  #listPollMarks(request: TraceRequest): TraceMark[] {
    const { source, message, response } = request;
    const label = response?.links.status ?? describe(message.row);
    return [
      { kind: 'task', time: this.#endOf(request), label, proof: toProof(source, message) },
      ...(this.#children.get(request) ?? []).flatMap(child => this.#listPollMarks(child)),
    ];
  }

  /**
   * Writes the task that a request reads, with its first such request. Returns `false` if the request needs a bar of its own.
   *
   * @param siblings All requests below the bar, of which one may have created the task.
   */
  #writeTask(
    request: TraceRequest,
    polls: ReadonlyMap<string, TraceRequest[]>,
    siblings: readonly TraceRequest[],
    bar: Draft,
  ): boolean {
    const task = request.message.links.sentTask ?? '';
    const own = polls.get(task)?.toSorted((a, b) => this.#endOf(a) - this.#endOf(b)) ?? [];
    const [first] = own;
    if (!first || !own.includes(request)) return false;
    if (this.#tasks.has(first)) return true;
    this.#tasks.add(first);
    const creator = siblings.find(
      ({ message, response }) => message.links.sentTask === undefined && response?.links.givenTask === task,
    );
    const last = own.findLast(({ response }) => response?.links.status !== undefined) ?? own.at(-1) ?? first;
    const status = last.response?.links.status ?? '';
    const state = TASK_STATES.get(status) ?? 'open';
    const marks = own.flatMap(each => this.#listPollMarks(each));
    const added = this.#add({
      parent: bar.id,
      depth: bar.depth + 1,
      kind: 'task',
      hop: first.message.row.server,
      label: `task ${task}`,
      start: creator ? this.#endOf(creator) : this.#timeOf(first.source, first.message),
      end: state === 'open' || state === 'waiting' ? null : this.#endOf(last),
      state,
      outcome: status,
      join: first.previous?.reason ?? first.cause?.reason ?? '',
      isCertain: own.every(each => describeJoin(each).isCertain !== false),
      recording: first.source.recording,
      shift: this.#shifts.get(first.source) ?? 0,
      proofs: [
        ...(creator?.response ? [toProof(creator.source, creator.response)] : []),
        ...(last.response ? [toProof(last.source, last.response)] : []),
      ],
      marks: marks.slice(0, MAX_MARKS),
    });
    this.#omitted += added ? Math.max(0, marks.length - MAX_MARKS) : marks.length - 1;
    return true;
  }

  /** Writes the requests that a request has caused, and the time of the gateway before, between and after them. */
  #writeWork(request: TraceRequest, caused: readonly TraceRequest[], bar: Draft): void {
    const decisions = this.#listDecisions(request);
    // Only a process that sends requests while it serves one is a gateway.
    const isGateway =
      caused.some(({ message, cause }) => message.row.from === 'client' && !cause?.isSame) || decisions.length > 0;
    const polls = this.#groupPolls(caused);
    let at = bar.start;
    for (const child of caused) {
      if (this.#writeTask(child, polls, caused, bar)) {
        at = Math.max(at, this.#endOf(child));
        continue;
      }
      const start = Math.max(bar.start, this.#timeOf(child.source, child.message));
      if (isGateway) this.#writeOwn(bar, at, start, decisions, `before ${child.message.row.method}`);
      this.#writeRequest(child, bar.id, bar.depth + 1);
      // A request without a response may last until the end.
      at = Math.max(at, child.response ? this.#endOf(child) : (bar.end ?? start));
    }
    if (isGateway && bar.end !== null) this.#writeOwn(bar, at, bar.end, decisions, 'before the response');
  }

  #writeOwn(bar: Draft, from: number, to: number, decisions: readonly TracedDecision[], label: string): void {
    const approval = decisions.find(({ action, time }) => action === 'ask' && time >= from && time <= to);
    const until = approval ? Math.max(from, Math.min(to, approval.time)) : to;
    const add = (kind: 'own' | 'approval', start: number, end: number, text: string) => {
      if (end - start < MIN_OWN) return;
      this.#add({
        parent: bar.id,
        depth: bar.depth + 1,
        kind,
        hop: 'gateway',
        label: text,
        start,
        end,
        state: 'ok',
        outcome: '',
        join: 'no message of the gateway in this time',
        isCertain: true,
        recording: bar.recording,
        shift: 0,
        proofs: [],
        marks: [],
      });
    };
    add('own', from, until, label);
    if (approval) add('approval', until, to, 'waits for an approval');
  }

  #listDecisions({ source, message }: TraceRequest): TracedDecision[] {
    if (source.recording !== null) return [];
    return (this.#input.decisions ?? []).filter(({ request }) => request === message.row.seq);
  }

  #listMarks(request: TraceRequest): TraceMark[] {
    const { source, notifications, response } = request;
    const marks = notifications.slice(0, MAX_MARKS).map((message): TraceMark => {
      const { method } = message.row;
      const kind = method === 'notifications/progress' ? 'progress' : 'notification';
      const label = message.links.status === undefined ? method : `${method}: ${message.links.status}`;
      return { kind, time: this.#timeOf(source, message), label, proof: toProof(source, message) };
    });
    const status = response?.links.status;
    if (response && status !== undefined)
      marks.push({
        kind: 'task',
        time: this.#timeOf(source, response),
        label: status,
        proof: toProof(source, response),
      });
    for (const { time, action } of this.#listDecisions(request))
      marks.push({ kind: 'decision', time, label: `policy: ${action}`, proof: null });
    return marks;
  }

  #describeHop({ source, message: { row } }: TraceRequest): string {
    if (row.hop === 'app') return row.from === 'client' ? 'app → console' : 'console → app';
    const isLive = source.recording === null && this.#input.isGateway === true;
    const client = row.hop === 'upstream' ? 'gateway' : row.hop === 'caller' ? 'caller' : isLive ? 'console' : 'client';
    const server = row.hop === 'caller' || (isLive && row.hop === undefined) ? 'gateway' : row.server;
    return row.from === 'client' ? `${client} → ${server}` : `${server} → ${client}`;
  }
}

const toProof = ({ recording }: TraceSource, { row }: LinkedMessage): TraceProof => ({ recording, seq: row.seq });

const listTimes = ({ marks }: Draft): number[] => marks.map(({ time }) => time);

const describe = ({ method, name }: LinkedMessage['row']): string =>
  name === undefined ? method : `${method} ${name}`;

function describeJoin({ cause, previous }: TraceRequest): { readonly join?: string; readonly isCertain?: boolean } {
  const found = cause ?? previous;
  return found ? { join: found.reason, isCertain: found.isCertain } : {};
}

function readState({ response, isCancelled }: TraceRequest): TraceBar['state'] {
  if (!response) return isCancelled ? 'cancelled' : 'open';
  const { kind, isError, resultType } = response.row;
  if (kind === 'error' || isError) return 'error';
  return resultType === 'input_required' ? 'waiting' : 'ok';
}

function describeOutcome({ message, response, isCancelled, previous, cause }: TraceRequest): string {
  const again = previous && (cause || previous.reason.startsWith('sent again')) ? 'sent again, ' : '';
  if (!response) return `${again}${isCancelled ? 'cancelled' : 'no response'}`;
  const { kind, isError, resultType } = response.row;
  if (kind === 'error') return `${again}error`;
  if (isError) return `${again}isError`;
  const actions = message.row.from === 'server' ? response.links.actions : undefined;
  if (actions) return `${again}answered: ${actions.join(', ')}`;
  return `${again}${resultType === undefined || resultType === 'complete' ? 'result' : resultType}`;
}
