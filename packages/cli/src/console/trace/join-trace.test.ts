import type { TraceBar, TraceView, WireRow } from '@tenon/console/api';
import { createRecorder } from '@tenon/testing';
import fc from 'fast-check';
import type { JsonRpcMessage } from 'tenon';
import { expect, it } from 'vitest';
import { ChangeFeed } from '../change-feed.js';
import { OpenedRecordings } from '../recording/opened-recordings.js';
import { type ObservedMessage, WireLog } from '../wire-log.js';
import { joinTrace, type TracedDecision } from './join-trace.js';
import { readTrace } from './read-trace.js';
import type { TraceSource } from './trace-requests.js';

interface Sent extends Partial<Omit<ObservedMessage, 'time' | 'message'>> {
  readonly time: number;
  readonly message: object;
}

/** Logs messages with their times, as one process sees them. */
function logMessages(recording: string | null, messages: readonly Sent[]): TraceSource {
  const log = new WireLog(() => {});
  const common = { server: 'shop', connection: 1, from: 'client', call: undefined } as const;
  for (const { message, ...each } of messages) {
    const sent: JsonRpcMessage = JSON.parse(JSON.stringify({ jsonrpc: '2.0', ...message }));
    log.add({ ...common, ...each, message: sent });
  }
  return { recording, messages: log.listLinked() };
}

const request = (time: number, id: number, params: object = {}, more: Partial<Sent> = {}): Sent => ({
  time,
  message: { id, method: 'tools/call', params: { name: 'pay', ...params } },
  ...more,
});
const result = (time: number, id: number, value: object = {}, more: Partial<Sent> = {}): Sent => ({
  time,
  from: 'server',
  message: { id, result: { content: [], ...value } },
  ...more,
});
const traceparent = (span: string) => ({ _meta: { traceparent: `00-4bf92f3577b34da6a3ce929d0e0e4736-${span}-01` } });
const SPAN = '00f067aa0ba902b7';

/** Writes bars as lines: depth, kind, hop, label, offsets, outcome. */
function draw({ bars, start }: TraceView): string[] {
  return bars.map(
    ({ depth, kind, hop, label, start: from, end, outcome }) =>
      `${'  '.repeat(depth)}${kind} ${hop} ${label} ${from - start}-${end === null ? '' : end - start} ${outcome}`,
  );
}

const join = (sources: readonly TraceSource[], decisions: readonly TracedDecision[] = [], seq = 1): TraceView => {
  const [first] = sources;
  const trace = joinTrace({
    sources,
    root: { recording: first?.recording ?? null, seq },
    decisions,
    isGateway: first?.recording === null,
  });
  if (!trace) throw new Error('no trace');
  return trace;
};

it('nests the requests of a gateway below the request of the caller, with its own time', () => {
  const upstream = { connection: 2, server: 'notes', hop: 'upstream' } as const;
  const trace = join([
    logMessages(null, [
      request(100, 1, {}, { hop: 'caller' }),
      request(120, 7, {}, { ...upstream, cause: 1 }),
      result(150, 7, {}, upstream),
      request(155, 3, {}, { ...upstream, connection: 3, server: 'mail', cause: 1 }),
      result(190, 3, { isError: true }, { ...upstream, connection: 3, server: 'mail' }),
      result(200, 1, {}, { hop: 'caller' }),
    ]),
  ]);
  expect(draw(trace)).toEqual([
    'request caller → gateway tools/call pay 0-100 result',
    '  own gateway before tools/call 0-20 ',
    '  request gateway → notes tools/call pay 20-50 result',
    '  own gateway before tools/call 50-55 ',
    '  request gateway → mail tools/call pay 55-90 isError',
    '  own gateway before the response 90-100 ',
  ]);
  expect(trace.bars[4]).toMatchObject({ state: 'error', isCertain: true, parent: 0 });
});

it('shows the wait for an approval from the decision of the policy on', () => {
  const trace = join(
    [
      logMessages(null, [
        request(0, 1, {}, { hop: 'caller' }),
        request(500, 2, {}, { connection: 2, server: 'notes', hop: 'upstream', cause: 1 }),
        result(510, 2, {}, { connection: 2, server: 'notes', hop: 'upstream' }),
        result(510, 1, {}, { hop: 'caller' }),
      ]),
    ],
    [{ id: 4, request: 1, time: 10, action: 'ask' }],
  );
  expect(draw(trace)).toEqual([
    'request caller → gateway tools/call pay 0-510 result',
    '  own gateway before tools/call 0-10 ',
    '  approval gateway waits for an approval 10-500 ',
    '  request gateway → notes tools/call pay 500-510 result',
  ]);
  expect(trace.bars[0]?.marks).toEqual([{ kind: 'decision', time: 10, label: 'policy: ask', proof: null }]);
});

it('joins the rounds of a call that another replica continues by the requestState', () => {
  const inputRequired = {
    resultType: 'input_required',
    requestState: 's1',
    inputRequests: { a: { method: 'elicitation/create' } },
  };
  const trace = join([
    logMessages('a.ndjson', [request(1000, 1), result(1100, 1, inputRequired)]),
    logMessages('b.ndjson', [
      request(900, 1, { requestState: 's1', inputResponses: { a: { action: 'accept' } } }),
      result(950, 1),
    ]),
  ]);
  expect(draw(trace)).toEqual([
    'call client → shop tools/call pay 0-150 2 requests',
    '  request client → shop tools/call pay 0-100 input_required',
    '  input client elicitation/create 100-100 answered: accept',
    '  request client → shop tools/call pay 100-150 result',
  ]);
  expect(trace.shifts).toEqual([{ recording: 'b.ndjson', by: 200 }]);
  expect(trace.bars[3]).toMatchObject({ shift: 200, join: 'sends the requestState of the result', isCertain: true });
});

it('does not join results and requests whose requestState is masked', () => {
  const trace = join([
    logMessages('a', [request(0, 1), result(1, 1, { resultType: 'input_required', requestState: '…' })]),
    logMessages('b', [request(2, 1, { requestState: '…' })]),
  ]);
  expect(draw(trace)).toHaveLength(1);
});

it('joins the recordings of a gateway and of its server by the trace ID, and moves the clock of the server', () => {
  const trace = join([
    logMessages('gateway', [request(1000, 1, { name: 'notes__pay', ...traceparent(SPAN) }), result(1100, 1)]),
    logMessages('notes', [
      request(400, 9, traceparent(SPAN), { server: 'notes' }),
      result(450, 9, {}, { server: 'notes' }),
    ]),
  ]);
  expect(draw(trace)).toEqual([
    'request client → shop tools/call notes__pay 0-100 result',
    '  request client → notes tools/call pay 0-50 result',
    '  own gateway before the response 50-100 ',
  ]);
  expect(trace.shifts).toEqual([{ recording: 'notes', by: 600 }]);
});

it('joins a request that a gateway has sent with the recording of its receiver, by the requestState too', () => {
  const meta = traceparent(SPAN);
  const upstream = { hop: 'upstream', server: 'notes' } as const;
  const trace = join([
    logMessages('gateway', [
      request(0, 1, meta, upstream),
      result(10, 1, { resultType: 'input_required', requestState: 's1' }, upstream),
      request(20, 2, { requestState: 's1', ...meta }, upstream),
      result(30, 2, {}, upstream),
    ]),
    logMessages('notes', [
      request(2, 7, meta),
      result(8, 7, { resultType: 'input_required', requestState: 's1' }),
      request(22, 8, { requestState: 's1', ...meta }),
      result(28, 8),
    ]),
  ]);
  expect(draw(trace)).toEqual([
    'call gateway → notes tools/call pay 0-30 2 requests',
    '  request gateway → notes tools/call pay 0-10 input_required',
    '    request client → shop tools/call pay 2-8 input_required',
    '  input gateway input 10-20 sent again without a response',
    '  request gateway → notes tools/call pay 20-30 result',
    '    request client → shop tools/call pay 22-28 result',
  ]);
  expect(trace.bars.every(({ isCertain }) => isCertain)).toBe(true);
});

it('tells that a place is not certain if several requests have the trace ID', () => {
  const outer = { name: 'notes__pay', ...traceparent(SPAN) };
  const trace = join([
    logMessages('gateway', [request(0, 1, outer), result(10, 1), request(20, 2, outer), result(30, 2)]),
    logMessages('notes', [request(25, 9, traceparent(SPAN), { server: 'notes' })]),
  ]);
  const inner = trace.bars.find(({ recording }) => recording === 'notes');
  expect(inner).toMatchObject({ isCertain: false, join: expect.stringContaining('2 requests') });
});

it('keeps the order of two requests with one traceparent open if neither names the other', () => {
  const trace = join([
    logMessages('a', [request(0, 1, traceparent(SPAN)), result(10, 1)]),
    logMessages('b', [request(2, 1, { name: 'other', ...traceparent(SPAN) }), result(4, 1)]),
  ]);
  expect(draw(trace)).toHaveLength(3);
  expect(trace.bars[2]).toMatchObject({ isCertain: false, parent: 0 });
});

it('shows a request that was sent again with the same ID, and one without a response', () => {
  const trace = join([logMessages('a', [request(0, 1), request(50, 1), result(80, 1), request(90, 2)])]);
  expect(draw(trace)).toEqual([
    'call client → shop tools/call pay 0- 2 requests',
    '  request client → shop tools/call pay 0- no response',
    '  request client → shop tools/call pay 50-80 sent again, result',
  ]);
});

it('marks progress, cancellation and the states of a task', () => {
  const trace = join([
    logMessages('a', [
      request(0, 1, { _meta: { progressToken: 1 } }),
      {
        time: 10,
        from: 'server',
        message: { method: 'notifications/progress', params: { progressToken: 1, progress: 1 } },
      },
      { time: 20, message: { method: 'notifications/cancelled', params: { requestId: 1 } } },
    ]),
  ]);
  expect(trace.bars[0]).toMatchObject({ state: 'cancelled', end: null });
  expect(trace.bars[0]?.marks.map(({ label }) => label)).toEqual(['notifications/progress', 'notifications/cancelled']);
  const task = join([
    logMessages('a', [
      request(0, 1),
      result(5, 1, { task: { taskId: 't', status: 'working' } }),
      { time: 9, message: { id: 2, method: 'tasks/get', params: { taskId: 't' } } },
      result(12, 2, { taskId: 't', status: 'completed' }),
    ]),
  ]);
  expect(draw(task)).toEqual([
    'call client → shop tools/call pay 0-12 2 requests',
    '  request client → shop tools/call pay 0-5 result',
    '  task shop task t 5-12 completed',
  ]);
  expect(task.bars.flatMap(({ marks }) => marks.map(({ label }) => label))).toEqual(['working', 'completed']);
});

it('shows a task as one bar, with its status requests at a gateway and its server as marks', () => {
  const poll = (time: number, id: number, status: string): Sent[] => {
    const upstream = { connection: 2, server: 'mail', hop: 'upstream' } as const;
    const message = { id, method: 'tasks/get', params: { taskId: 't' } };
    return [
      { time, hop: 'caller', message },
      { ...upstream, time: time + 1, message, cause: seqOf(time) },
      { ...upstream, time: time + 2, from: 'server', message: { id, result: { taskId: 't', status } } },
      { time: time + 3, hop: 'caller', from: 'server', message: { id, result: { taskId: 't', status } } },
    ];
  };
  // Each request for the status has four messages, after the two of the call.
  const seqOf = (time: number) => 3 + ((time - 10) / 10) * 4;
  const trace = join([
    logMessages(null, [
      request(0, 1, {}, { hop: 'caller' }),
      result(5, 1, { task: { taskId: 't', status: 'working' } }, { hop: 'caller' }),
      ...poll(10, 2, 'working'),
      ...poll(20, 3, 'working'),
      ...poll(30, 4, 'failed'),
      { time: 40, hop: 'caller', message: { id: 5, method: 'tasks/result', params: { taskId: 't' } } },
      { time: 41, hop: 'caller', from: 'server', message: { id: 5, error: { code: 1, message: 'no' } } },
    ]),
  ]);
  expect(draw(trace)).toEqual([
    'call caller → gateway tools/call pay 0-41 5 requests',
    '  request caller → gateway tools/call pay 0-5 result',
    '  task shop task t 5-33 failed',
    '  request caller → gateway tasks/result 40-41 error',
  ]);
  const task = trace.bars.find(({ kind }) => kind === 'task');
  expect(task).toMatchObject({ state: 'error', isCertain: true });
  expect(task?.marks.map(({ label, proof }) => `${label} ${proof?.seq}`)).toEqual([
    'working 3',
    'working 4',
    'working 7',
    'working 8',
    'failed 11',
    'failed 12',
  ]);
});

it('leaves a task open whose status is not final, and keeps a bar for a status request that failed', () => {
  const trace = join([
    logMessages('a', [
      request(0, 1),
      result(5, 1, { task: { taskId: 't', status: 'working' } }),
      { time: 9, message: { id: 2, method: 'tasks/get', params: { taskId: 't' } } },
      result(12, 2, { taskId: 't', status: 'working' }),
      { time: 20, message: { id: 3, method: 'tasks/get', params: { taskId: 't' } } },
      { time: 21, from: 'server', message: { id: 3, error: { code: 1, message: 'busy' } } },
    ]),
  ]);
  expect(draw(trace)).toEqual([
    'call client → shop tools/call pay 0-21 3 requests',
    '  request client → shop tools/call pay 0-5 result',
    '  task shop task t 5- working',
    '  request client → shop tasks/get 20-21 error',
  ]);
  expect(trace.isOpen).toBe(true);
});

it('joins rounds whose requestState is a signed JWT that both recordings mask', () => {
  const requestState = `eyJhbGciOiJIUzI1NiJ9.eyJzdGVwIjoxfQ.${'s'.repeat(43)}`;
  const other = requestState.replace('sss', 'ttt');
  const write = (messages: readonly Sent[]) => {
    const recorder = createRecorder({ server: 'shop', write: line => lines.push(line) });
    const lines: string[] = [];
    const session = recorder.openSession();
    for (const { from = 'client', message } of messages)
      session.record(from === 'client' ? 'send' : 'recv', JSON.parse(JSON.stringify({ jsonrpc: '2.0', ...message })));
    expect(lines.join('')).not.toContain('sss');
    return lines.join('');
  };
  const recordings = new OpenedRecordings(new ChangeFeed());
  recordings.open('a', write([request(0, 1), result(0, 1, { resultType: 'input_required', requestState })]));
  recordings.open('b', write([request(0, 1, { requestState }), result(0, 1)]));
  recordings.open('c', write([request(0, 1, { requestState: other }), result(0, 1)]));
  const trace = readTrace({ log: new WireLog(() => {}), recordings, gateway: undefined }, { recording: 'a', seq: 1 });
  const requests = trace.bars.filter(({ kind }) => kind === 'request');
  expect(requests.map(({ recording, join: reason }) => [recording, reason])).toEqual([
    ['a', ''],
    ['b', 'sends the requestState of the result'],
  ]);
});

it('shows a request of the server and the response of the user below the call', () => {
  const trace = join([
    logMessages('a', [
      request(0, 1),
      { time: 5, from: 'server', relatedTo: 1, message: { id: 8, method: 'elicitation/create', params: {} } },
      { time: 45, message: { id: 8, result: { action: 'decline' } } },
      result(50, 1),
    ]),
  ]);
  expect(draw(trace)).toEqual([
    'request client → shop tools/call pay 0-50 result',
    '  request shop → client elicitation/create 5-45 answered: decline',
  ]);
});

it('finds the same trace from each of its messages', () => {
  const source = logMessages('a', [request(0, 1), result(5, 1)]);
  expect(join([source], [], 2)).toEqual(join([source]));
  expect(joinTrace({ sources: [source], root: { recording: 'a', seq: 9 } })).toBeUndefined();
});

const anyMessage = fc.record({
  time: fc.integer({ min: 0, max: 2000 }),
  connection: fc.integer({ min: 1, max: 3 }),
  from: fc.constantFrom('client' as const, 'server' as const),
  cause: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
  hop: fc.option(fc.constantFrom('caller' as const, 'upstream' as const), { nil: undefined }),
  relatedTo: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  message: fc.oneof(
    fc.record({
      id: fc.integer({ min: 1, max: 4 }),
      method: fc.constantFrom('tools/call', 'tasks/get'),
      params: fc.record(
        {
          name: fc.constantFrom('a', 'x__a'),
          requestState: fc.constantFrom('s', 't'),
          taskId: fc.constant('k'),
          _meta: fc.constantFrom(traceparent(SPAN)._meta, traceparent('1111111111111111')._meta, { progressToken: 1 }),
        },
        { requiredKeys: [] },
      ),
    }),
    fc.record({
      id: fc.integer({ min: 1, max: 4 }),
      result: fc.record(
        { requestState: fc.constantFrom('s', 't'), taskId: fc.constant('k'), isError: fc.boolean() },
        { requiredKeys: [] },
      ),
    }),
    fc.record({
      method: fc.constantFrom('notifications/progress', 'notifications/cancelled'),
      params: fc.record({ progressToken: fc.constant(1), requestId: fc.integer({ min: 1, max: 4 }) }),
    }),
  ),
});

const contains = (parent: TraceBar, { start, end, late }: TraceBar): boolean =>
  start >= parent.start && (end === null || parent.end === null || end <= parent.end || late === end - parent.end);

it('puts each bar inside its parent, and each request of the trace into one bar, for any messages', () => {
  fc.assert(
    fc.property(fc.array(fc.array(anyMessage, { maxLength: 14 }), { minLength: 1, maxLength: 3 }), lists => {
      const sources = lists.map((messages, index) => logMessages(`r${index}`, messages));
      const requests = sources.flatMap(({ recording, messages }) =>
        messages.filter(({ row }) => row.kind === 'request').map(({ row }) => ({ recording, row })),
      );
      const seen = new Map<string, string>();
      const toKey = (recording: string | null, { seq }: Pick<WireRow, 'seq'>) => `${recording} ${seq}`;
      for (const { recording, row } of requests) {
        const trace = joinTrace({ sources, root: { recording, seq: row.seq } });
        expect(trace).toBeDefined();
        const bars = trace?.bars ?? [];
        for (const [index, bar] of bars.entries()) {
          expect(bar.id).toBe(index);
          if (bar.end !== null) expect(bar.end).toBeGreaterThanOrEqual(bar.start);
          if (bar.parent === null) continue;
          expect(bar.parent).toBeLessThan(bar.id);
          const parent = bars[bar.parent];
          expect(parent && contains(parent, bar)).toBe(true);
        }
        const own = bars.flatMap(({ kind, recording: file, proofs: [proof], marks }) => {
          if (kind === 'request') return [toKey(file, { seq: proof?.seq ?? 0 })];
          // A request for the status of a task is a mark of the task.
          if (kind !== 'task') return [];
          return marks.flatMap(mark => (mark.proof ? [toKey(mark.proof.recording, mark.proof)] : []));
        });
        expect(new Set(own).size).toBe(own.length);
        expect(own).toContain(toKey(recording, row));
        // Each request is in the trace of all others of it, and in no other trace.
        const trace0 = own.toSorted().join();
        for (const key of own) {
          expect(seen.get(key) ?? trace0).toBe(trace0);
          seen.set(key, trace0);
        }
      }
    }),
  );
});

it('tries a limited number of requests with the same trace ID as the cause of another one', () => {
  const callers = Array.from({ length: 150 }, (_, index) =>
    request(
      index,
      1,
      { name: 'shop__pay', ...traceparent(String(index).padStart(16, '0')) },
      { connection: index + 2 },
    ),
  );
  const last = callers.length + 1;
  const trace = join([logMessages('a.ndjson', [...callers, request(200, 1, traceparent(SPAN))])], [], last);
  expect(trace.bars.at(-1)).toMatchObject({
    join: 'has the trace ID of 100 requests, each of which may have caused it',
    isCertain: false,
  });
});
