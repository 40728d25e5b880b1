import { isObject, type JsonObject } from '@tenon/base';
import type { CallView, Json, TestExport, WireRow } from '@tenon/console/api';
import { TenonError } from 'tenon';
import type { CallOutcome } from '../console-calls.js';
import { OPENING_METHODS, type WireLog } from '../wire-log.js';
import { selectMessages } from './export-recording.js';
import { type TestedCall, writeTest } from './write-test.js';

/** A call of the console. */
interface ShownCall {
  readonly view: CallView;
  readonly redacted: Json;
  readonly outcome: CallOutcome;
  /** True if its server is at a URL. */
  readonly isHttp: boolean;
}

/**
 * Writes a test file for Vitest that replays calls without their servers.
 *
 * @throws TenonError `console/unknown` if a call is not over, or if its messages are no longer in memory.
 */
export function exportTest(log: WireLog, calls: readonly ShownCall[]): TestExport {
  const [first] = calls;
  if (!first) throw new TenonError('console/unknown', 'no call is selected', { hint: 'select a call' });
  const name = `${first.view.name.replace(/[^\w-]+/g, '-').replace(/^-+|-+$/g, '') || 'call'}.test.ts`;
  return { name, text: writeTest(calls.map(call => readCall(log, call))) };
}

function readCall(log: WireLog, { view, redacted, outcome, isHttp }: ShownCall): TestedCall {
  if (view.took === null)
    throw new TenonError('console/unknown', `call ${view.id}: not finished`, {
      hint: 'wait for its end, or cancel it',
    });
  const selected = selectMessages(log, { calls: [view.id] });
  // A refused attempt to open the connection without a handshake is of no interest in a test.
  const hasHandshake = selected.some(({ row }) => row.method === 'initialize');
  const started = selected.find(({ row }) => row.call === view.id && row.method === view.method)?.row.seq ?? 0;
  const needed = selected.filter(
    ({ row }) => (!hasHandshake || row.method !== 'server/discover') && !isCheck(row, started),
  );
  const messages = needed.map(({ row, body, before, fault }) => {
    const text = before ?? body;
    const message: unknown = text === undefined ? undefined : JSON.parse(text);
    if (isObject(message)) return { row, message, fault };
    throw new TenonError('console/unknown', `call ${view.id}: its messages are no longer in memory`, {
      hint: 'repeat the call',
    });
  });
  const params: JsonObject = redacted;
  return { call: view, params, messages, outcome, isHttp };
}

/** Tells if a message has no effect on the outcome: the client cancels a request, and checks if the server still responds. */
const isCheck = ({ method, seq }: WireRow, started: number): boolean =>
  method === 'notifications/cancelled' || method === 'ping' || (seq > started && OPENING_METHODS.has(method));
