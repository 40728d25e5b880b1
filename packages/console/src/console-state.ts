import { batch, computed, type Signal, signal } from '@preact/signals';
import { encodePathPart } from '@tenon/base';
import type {
  AppFindings,
  ApprovalsView,
  CallView,
  ComparisonView,
  ConsoleEvent,
  ErrorView,
  InputRequestView,
  RecordedSession,
  RecordingView,
  ServerView,
  SignInView,
  SubscriptionView,
  WireRow,
} from './api.js';
import { describeFailure, readLines } from './request.js';
import { toRecordingPath } from './route.js';
import { readStoredTheme, type Theme } from './stored-theme.js';

/** Number of rows in the page. The command keeps as many. */
const MAX_ROWS = 100_000;
const RETRY_DELAY = 1000;

/** Colors that the user has chosen. */
export const theme = signal<Theme>(readStoredTheme());

export const hello = signal<Extract<ConsoleEvent, { type: 'hello' }> | null>(null);
export const servers = signal<ReadonlyMap<string, ServerView>>(new Map());
export const calls = signal<ReadonlyMap<number, CallView>>(new Map());
export const subscriptions = signal<ReadonlyMap<number, SubscriptionView>>(new Map());
/** Comparisons by the call that the others repeat. */
export const comparisons = signal<ReadonlyMap<number, ComparisonView>>(new Map());
export const inputRequests = signal<ReadonlyMap<number, InputRequestView>>(new Map());
/** True while the page receives events. */
export const isLive = signal(false);
/** The last reason that the page received no events. */
export const failure = signal<ErrorView | null>(null);
/** Grows with each change of the rows. */
export const rowChanges = signal(0);

/** Open input requests, the oldest first. */
export const openRequests = computed(() =>
  [...inputRequests.value.values()].filter(({ state }) => state === 'open').sort((a, b) => a.id - b.id),
);

/** Sign-ins that were tried. */
export const signIns = signal<ReadonlyMap<number, SignInView>>(new Map());

/** Findings of the shown apps. */
export const appFindings = signal<ReadonlyMap<number, AppFindings['findings']>>(new Map());

/** Approvals of the callers of a gateway. `null`: the page belongs to no gateway. */
export const approvals = signal<ApprovalsView | null>(null);

/** False for a page that is read-only. */
export const canChange = computed(() => hello.value?.role !== 'read-only');

/** Number of the last call. 0: there is none. */
export const getLastCall = (): number => Math.max(0, ...calls.value.keys());

/** True for a server that takes calls. A connection that is lost is opened again by the next call. */
export const takesCalls = ({ state }: ServerView): boolean => state === 'connected' || state === 'reconnecting';

/** Lists the calls of a server with one method and name, the newest first. */
export const listCalls = (server: string, method: string, name: string): CallView[] =>
  [...calls.value.values()]
    .filter(call => call.server === server && call.method === method && call.name === name)
    .sort((a, b) => b.id - a.id);

/** Recordings that are open, by name. */
export const recordings = signal<ReadonlyMap<string, RecordingView>>(new Map());
/** Recording that the view shows in place of the live session. */
export const shownRecording = signal<RecordedSession | null>(null);

/** Rows of a session, and the ways to find them. */
interface RowIndex {
  rows: WireRow[];
  /** Responses by the `seq` of their request. */
  readonly responses: Map<number, WireRow>;
  /** Rows of each call. */
  readonly rowsOfCalls: Map<number, WireRow[]>;
}

const createIndex = (): RowIndex => ({ rows: [], responses: new Map(), rowsOfCalls: new Map() });

let live = createIndex();
let recorded: RowIndex | null = null;

/** Shows a recording in place of the live session, or the live session again. */
export function showRecording(session: RecordedSession | null): void {
  recorded = session && createIndex();
  for (const row of session?.rows ?? []) if (recorded) addRow(recorded, row);
  shownRecording.value = session;
}

/** Address of a message, a call or a search in the API, for the shown session. */
export function toSessionPath(path: string): string {
  const session = shownRecording.value;
  return session ? `recordings/${encodePathPart(session.recording.name)}/${path}` : path;
}

/** Address of the trace of a message of the shown session. */
export const toTracePath = (seq: number): string =>
  `${shownRecording.value ? toRecordingPath(shownRecording.value.recording.name) : ''}/trace/${seq}`;

let run = '';

/** All rows, the oldest first. Read `rowChanges` to follow them. */
export const getRows = (): readonly WireRow[] => (recorded ?? live).rows;
/** Last row of the live session. */
export const getLastRow = (): WireRow | undefined => live.rows.at(-1);
/** Rows of one call. */
export const getCallRows = (call: number): readonly WireRow[] => (recorded ?? live).rowsOfCalls.get(call) ?? [];
export const findResponse = (request: number): WireRow | undefined => (recorded ?? live).responses.get(request);
export const findRow = (seq: number): WireRow | undefined => getRows()[seq - (getRows()[0]?.seq ?? 0)];

/** Receives events until the page is closed. After a lost connection, it continues after the last row. */
export async function followEvents(): Promise<void> {
  for (;;) {
    try {
      await readLines(`events?after=${getLastRow()?.seq ?? 0}`, queueEvent);
    } catch (thrown) {
      failure.value = describeFailure(thrown);
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
    servers: createDraft(servers),
    calls: createDraft(calls),
    comparisons: createDraft(comparisons),
    subscriptions: createDraft(subscriptions),
    requests: createDraft(inputRequests),
    recordings: createDraft(recordings),
    signIns: createDraft(signIns),
  };
  let hasRows = false;
  for (const event of events) {
    switch (event.type) {
      case 'hello':
        if (event.run !== run) {
          run = event.run;
          live = createIndex();
          for (const draft of Object.values(next)) draft.edit().clear();
        }
        hasRows = true;
        hello.value = event;
        isLive.value = true;
        failure.value = null;
        break;
      case 'server':
        next.servers.edit().set(event.server.name, event.server);
        break;
      case 'removed':
        next.servers.edit().delete(event.server);
        break;
      case 'call':
        next.calls.edit().set(event.call.id, event.call);
        break;
      case 'subscription':
        next.subscriptions.edit().set(event.subscription.id, event.subscription);
        break;
      case 'comparison':
        next.comparisons.edit().set(event.comparison.call, event.comparison);
        break;
      case 'recording':
        next.recordings.edit().set(event.recording.name, event.recording);
        break;
      case 'input-request':
        next.requests.edit().set(event.request.id, event.request);
        break;
      case 'sign-in':
        next.signIns.edit().set(event.attempt.id, event.attempt);
        break;
      case 'sign-in-removed':
        next.signIns.edit().delete(event.id);
        break;
      case 'app':
        appFindings.value = new Map(appFindings.value).set(event.app.id, event.app.findings);
        break;
      case 'approvals':
        approvals.value = event.approvals;
        break;
      case 'gap':
        live = createIndex();
        hasRows = true;
        break;
      case 'wire':
        for (const row of event.rows) addRow(live, row);
        dropRows(live);
        hasRows = true;
    }
  }
  for (const draft of Object.values(next)) draft.apply();
  if (hasRows) rowChanges.value += 1;
}

/** Collects the changes of a map, which is copied at the first of them. */
function createDraft<K, V>(map: Signal<ReadonlyMap<K, V>>) {
  let copy: Map<K, V> | undefined;
  return {
    edit(): Map<K, V> {
      copy ??= new Map(map.value);
      return copy;
    },
    apply(): void {
      if (copy) map.value = copy;
    },
  };
}

function addRow(index: RowIndex, row: WireRow): void {
  const { rows, responses, rowsOfCalls } = index;
  rows.push(row);
  if (row.request !== undefined) responses.set(row.request, row);
  if (row.call !== undefined) {
    const own = rowsOfCalls.get(row.call);
    if (own) own.push(row);
    else rowsOfCalls.set(row.call, [row]);
  }
}

/** Drops the oldest rows beyond the maximum. */
function dropRows(index: RowIndex): void {
  const { rows, responses, rowsOfCalls } = index;
  if (rows.length <= MAX_ROWS * 1.1) return;
  const dropped = rows.slice(0, rows.length - MAX_ROWS);
  index.rows = rows.slice(-MAX_ROWS);
  for (const { seq, call } of dropped) {
    responses.delete(seq);
    if (call !== undefined) rowsOfCalls.delete(call);
  }
}
