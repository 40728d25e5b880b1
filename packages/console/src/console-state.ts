import { batch, computed, signal } from '@preact/signals';
import type {
  CallView,
  ComparisonView,
  ConsoleEvent,
  InputRequestView,
  RecordedSession,
  RecordingView,
  ServerView,
  SubscriptionView,
  WireRow,
} from './api.js';
import { describeFailure, readLines } from './request.js';

/** Number of rows in the page. The command keeps as many. */
const MAX_ROWS = 100_000;
const RETRY_DELAY = 1000;

export const hello = signal<Extract<ConsoleEvent, { type: 'hello' }> | null>(null);
export const servers = signal<ReadonlyMap<string, ServerView>>(new Map());
export const calls = signal<ReadonlyMap<number, CallView>>(new Map());
export const subscriptions = signal<ReadonlyMap<number, SubscriptionView>>(new Map());
/** Comparisons by the call that the others repeat. */
export const comparisons = signal<ReadonlyMap<number, ComparisonView>>(new Map());
export const inputRequests = signal<ReadonlyMap<number, InputRequestView>>(new Map());
/** True while the page receives events. */
export const isLive = signal(false);
export const failure = signal('');
/** Grows with each change of the rows. */
export const rowChanges = signal(0);

/** Open input requests, the oldest first. */
export const openRequests = computed(() =>
  [...inputRequests.value.values()].filter(({ state }) => state === 'open').sort((a, b) => a.id - b.id),
);

/** Recordings that are open, by name. */
export const recordings = signal<ReadonlyMap<string, RecordingView>>(new Map());
/** Recording that the view shows in place of the live session. */
export const shownRecording = signal<RecordedSession | null>(null);

/** Rows of a session, and the ways to find them. */
interface RowIndex {
  readonly rows: readonly WireRow[];
  readonly responses: ReadonlyMap<number, WireRow>;
  readonly rowsOfCalls: ReadonlyMap<number, readonly WireRow[]>;
}

let recorded: RowIndex | null = null;

/** Shows a recording in place of the live session, or the live session again. */
export function showRecording(session: RecordedSession | null): void {
  recorded = session && indexRows(session.rows);
  shownRecording.value = session;
}

function indexRows(all: readonly WireRow[]): RowIndex {
  const byRequest = new Map<number, WireRow>();
  const byCall = new Map<number, WireRow[]>();
  for (const row of all) {
    if (row.request !== undefined) byRequest.set(row.request, row);
    if (row.call !== undefined) byCall.set(row.call, [...(byCall.get(row.call) ?? []), row]);
  }
  return { rows: all, responses: byRequest, rowsOfCalls: byCall };
}

/** Address of a message, a call or a search in the API, for the shown session. */
export function toSessionPath(path: string): string {
  const session = shownRecording.value;
  return session ? `recordings/${encodeURIComponent(session.recording.name)}/${path}` : path;
}

let rows: WireRow[] = [];
let run = '';
/** Responses by the `seq` of their request. */
const responses = new Map<number, WireRow>();
/** Rows of each call. */
const rowsOfCalls = new Map<number, WireRow[]>();

/** All rows, the oldest first. Read `rowChanges` to follow them. */
export const getRows = (): readonly WireRow[] => recorded?.rows ?? rows;
/** Last row of the live session. */
export const getLastRow = (): WireRow | undefined => rows.at(-1);
/** Rows of one call. */
export const getCallRows = (call: number): readonly WireRow[] => (recorded?.rowsOfCalls ?? rowsOfCalls).get(call) ?? [];
export const findResponse = (request: number): WireRow | undefined => (recorded?.responses ?? responses).get(request);
export const findRow = (seq: number): WireRow | undefined => getRows()[seq - (getRows()[0]?.seq ?? 0)];

/** Receives events until the page is closed. After a lost connection, it continues after the last row. */
export async function followEvents(): Promise<void> {
  for (;;) {
    try {
      await readLines(`events?after=${rows.at(-1)?.seq ?? 0}`, queueEvent);
      failure.value = 'The command has ended.';
    } catch (thrown) {
      failure.value = describeFailure(thrown).cause;
    }
    isLive.value = false;
    await new Promise(resolve => setTimeout(resolve, RETRY_DELAY));
  }
}

let queued: ConsoleEvent[] = [];

/** Applies all events of one frame together, so that a burst renders once. */
function queueEvent(line: string): void {
  const event: ConsoleEvent = JSON.parse(line);
  queued.push(event);
  if (queued.length > 1) return;
  const apply = () => {
    const events = queued;
    queued = [];
    batch(() => applyEvents(events));
  };
  // A hidden page gets no frames.
  if (document.hidden) setTimeout(apply);
  else requestAnimationFrame(apply);
}

function applyEvents(events: readonly ConsoleEvent[]): void {
  const next = {
    servers: new Map(servers.value),
    calls: new Map(calls.value),
    comparisons: new Map(comparisons.value),
    subscriptions: new Map(subscriptions.value),
    requests: new Map(inputRequests.value),
    recordings: new Map(recordings.value),
  };
  let hasRows = false;
  for (const event of events) {
    switch (event.type) {
      case 'hello':
        if (event.run !== run) {
          run = event.run;
          clearRows();
          for (const map of Object.values(next)) map.clear();
        }
        hello.value = event;
        isLive.value = true;
        failure.value = '';
        break;
      case 'server':
        next.servers.set(event.server.name, event.server);
        break;
      case 'removed':
        next.servers.delete(event.server);
        break;
      case 'call':
        next.calls.set(event.call.id, event.call);
        break;
      case 'subscription':
        next.subscriptions.set(event.subscription.id, event.subscription);
        break;
      case 'comparison':
        next.comparisons.set(event.comparison.call, event.comparison);
        break;
      case 'recording':
        next.recordings.set(event.recording.name, event.recording);
        break;
      case 'input-request':
        next.requests.set(event.request.id, event.request);
        break;
      case 'gap':
        clearRows();
        break;
      case 'wire':
        for (const row of event.rows) addRow(row);
        hasRows = true;
    }
  }
  const kinds = new Set(events.map(({ type }) => type));
  const isReset = kinds.has('hello');
  if (isReset || kinds.has('server') || kinds.has('removed')) servers.value = next.servers;
  if (isReset || kinds.has('call')) calls.value = next.calls;
  if (isReset || kinds.has('subscription')) subscriptions.value = next.subscriptions;
  if (isReset || kinds.has('comparison')) comparisons.value = next.comparisons;
  if (isReset || kinds.has('input-request')) inputRequests.value = next.requests;
  if (isReset || kinds.has('recording')) recordings.value = next.recordings;
  if (hasRows || isReset) rowChanges.value += 1;
}

function clearRows(): void {
  rows = [];
  responses.clear();
  rowsOfCalls.clear();
}

function addRow(row: WireRow): void {
  rows.push(row);
  if (row.request !== undefined) responses.set(row.request, row);
  if (row.call !== undefined) {
    const own = rowsOfCalls.get(row.call);
    if (own) own.push(row);
    else rowsOfCalls.set(row.call, [row]);
  }
  if (rows.length <= MAX_ROWS * 1.1) return;
  const dropped = rows.slice(0, rows.length - MAX_ROWS);
  rows = rows.slice(-MAX_ROWS);
  for (const { seq, call } of dropped) {
    responses.delete(seq);
    if (call !== undefined) rowsOfCalls.delete(call);
  }
}
