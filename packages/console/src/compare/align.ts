import type { CallView, WireRow } from '../api.js';

/** Maximum number of steps of one call that are aligned. */
const MAX_STEPS = 400;

/** Part of a call with one meaning: a message, or all notifications of one method between two other messages. */
export interface Step {
  /** The same for messages that do the same, whatever their methods are. */
  readonly meaning: string;
  readonly rows: readonly WireRow[];
  /** True if the step before has the same message: one message can have several input requests or responses. */
  readonly isRepeated?: boolean;
}

/** Steps of several calls with one meaning. A call without such a step has `undefined`. */
export interface AlignedRow {
  readonly meaning: string;
  readonly cells: readonly (Step | undefined)[];
}

const OPENING = new Set(['initialize', 'server/discover']);
/** Requests that ask for the state of a task. */
const POLLING = new Set(['tasks/get', 'tasks/list']);

/** Reads the messages of a call, the opening of its connection included, as steps. */
export function readSteps(call: Pick<CallView, 'method' | 'took'>, rows: readonly WireRow[]): Step[] {
  const last = call.took === null ? undefined : rows.findLast(row => isResponse(row) && row.from === 'server');
  const steps: { readonly meaning: string; readonly rows: WireRow[]; readonly isRepeated?: boolean }[] = [];
  let inputs: readonly string[] = [];
  let isCalled = false;
  for (const row of rows) {
    let more: readonly string[] = [];
    let meaning = row.kind === 'notification' ? row.method : `${isResponse(row) ? 'response ' : ''}${row.method}`;
    if (OPENING.has(row.method)) meaning = isResponse(row) ? 'opened' : 'open';
    else if (row.from === 'server' && row.kind === 'request') meaning = `input request ${row.method}`;
    else if (row.from === 'client' && isResponse(row)) meaning = `input response ${row.method}`;
    else if (row.resultType === 'input_required') {
      inputs = row.inputs ?? [];
      meaning = `input request ${inputs[0] ?? ''}`;
      more = inputs.slice(1).map(method => `input request ${method}`);
    } else if (row.kind === 'request' && row.method === call.method) {
      meaning = inputs.length > 0 ? `input response ${inputs[0]}` : isCalled ? 'call again' : 'call';
      more = inputs.slice(1).map(method => `input response ${method}`);
      isCalled = true;
      inputs = [];
    } else if (row === last) meaning = 'result';
    else if (isResponse(row) && row.resultType === 'task') meaning = 'task';
    else if (POLLING.has(row.method)) meaning = 'task state';
    const place = row.kind === 'notification' || meaning === 'task state' ? findGroup(steps, meaning) : undefined;
    if (place) place.rows.push(row);
    else steps.push({ meaning, rows: [row] }, ...more.map(each => ({ meaning: each, rows: [row], isRepeated: true })));
  }
  return steps.slice(0, MAX_STEPS);
}

const isResponse = ({ kind }: WireRow): boolean => kind === 'result' || kind === 'error';

/** Notifications of two methods often alternate, so those since the last other message are one group for each method. */
function findGroup<T extends Step>(steps: readonly T[], meaning: string): T | undefined {
  for (let at = steps.length - 1; at >= 0; at -= 1) {
    const step = steps[at];
    if (step?.meaning === meaning) return step;
    if (step?.rows[0]?.kind !== 'notification') return undefined;
  }
  return undefined;
}

/** Puts the steps of all calls beside each other. The order within each call stays as it is. */
export function alignSteps(sides: readonly (readonly Step[])[]): AlignedRow[] {
  let merged: AlignedRow[] = [];
  for (const [index, steps] of sides.entries()) {
    const before = merged.map(({ meaning }) => meaning);
    const pairs = findCommon(
      before,
      steps.map(({ meaning }) => meaning),
    );
    const next: AlignedRow[] = [];
    let at = 0;
    let row = 0;
    const add = (meaning: string, cells: readonly (Step | undefined)[], step: Step | undefined) =>
      next.push({ meaning, cells: [...cells, step] });
    const empty = Array.from({ length: index }, () => undefined);
    for (const [pairedRow, pairedStep] of [...pairs, [merged.length, steps.length] as const]) {
      for (; row < pairedRow; row += 1) add(merged[row]?.meaning ?? '', merged[row]?.cells ?? empty, undefined);
      for (; at < pairedStep; at += 1) add(steps[at]?.meaning ?? '', empty, steps[at]);
      if (row < merged.length && at < steps.length) {
        add(merged[row]?.meaning ?? '', merged[row]?.cells ?? empty, steps[at]);
        row += 1;
        at += 1;
      }
    }
    merged = next;
  }
  return merged;
}

/** Finds the longest common subsequence of two lists, as pairs of indexes. */
export function findCommon<T>(a: readonly T[], b: readonly T[]): (readonly [number, number])[] {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  const read = (index: number): number => lengths[index] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        a[i] === b[j]
          ? read((i + 1) * width + j + 1) + 1
          : Math.max(read((i + 1) * width + j), read(i * width + j + 1));
    }
  }
  const pairs: (readonly [number, number])[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (read((i + 1) * width + j) >= read(i * width + j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}

/** Returns the opening messages of a connection: all before the first other request. */
export function findOpening(rows: readonly WireRow[], connection: number): WireRow[] {
  const opening: WireRow[] = [];
  for (const row of rows) {
    if (row.connection !== connection) continue;
    if (!OPENING.has(row.method) && row.method !== 'notifications/initialized') break;
    opening.push(row);
  }
  return opening;
}
