import { toJsonObject } from '@tenon/base';
import type { ErrorView } from '@tenon/console/api';
import type { MessageFault } from '@tenon/testing';
import { writeValue } from '../copy/write-typescript.js';
import type { TestedCall, TestedMessage } from './write-test.js';

/** Delay of a message in a test whose call does not fail because of it, in milliseconds. */
const SHORT_DELAY = 50;
/** Time limit of a call that ended by its time limit, in milliseconds. */
const SHORT_TIMEOUT = 200;
/** Delay of a message in a test whose call ends by its time limit, in milliseconds. */
const LONG_DELAY = 1000;

/** A fault with the position of its message. */
interface PlacedFault {
  readonly direction: 'send' | 'receive';
  /** Number of the message among those of its direction, from 0. */
  readonly index: number;
  readonly fault: MessageFault;
  readonly row: TestedMessage['row'];
}

/** Parts of a test that inject the faults of a call. */
export interface WrittenFaults {
  /** Names that are imported from `@tenon/testing`. */
  readonly imports: readonly string[];
  /** Member of the options of `connect`. */
  readonly option: string;
  /** Condition in the title of the test. */
  readonly condition: string;
  /** True if only a connection over HTTP has this fault. */
  readonly needsHttp: boolean;
  /** True if a notification arrives at another time, so that the caller may not get it. */
  readonly changesTimes: boolean;
}

/** Returns the maximum time without progress for a call in a test, if the call ended by it. */
export const findTestTimeout = (error: ErrorView | null): number | undefined =>
  error?.code === 'call/timeout' ? SHORT_TIMEOUT : undefined;

/** Writes the faults of a call. `undefined`: it had none. */
export function writeFaults({ messages, outcome: { error }, isHttp }: TestedCall): WrittenFaults | undefined {
  const faults = placeFaults(messages);
  const [first] = faults;
  if (!first) return undefined;
  const hasTimeout = findTestTimeout(error) !== undefined;
  const schedules = (['send', 'receive'] as const).flatMap(direction => {
    const own = faults.filter(each => each.direction === direction);
    return own.length === 0 ? [] : [writeSchedule(direction, own, hasTimeout)];
  });
  return {
    imports: ['withFaults', ...new Set(faults.map(({ fault }) => FUNCTIONS[fault.kind]))],
    option: [
      `// ${writeComment(first)}`,
      `    wrapTransport: transport =>`,
      `      withFaults(transport, { ${schedules.join(', ')} })`,
    ].join('\n'),
    condition: `if ${describeFault(first)}`,
    needsHttp: isHttp && needsHttp(first, messages, error),
    changesTimes: first.row.kind === 'notification' && first.fault.kind === 'delay',
  };
}

/**
 * A cut of one stream, and the response to an invalid request of HTTP, need a connection over HTTP. A server with
 * sessions that could not resume the stream is replayed in memory, because the replay over HTTP could resume it.
 */
function needsHttp(
  { fault, direction }: PlacedFault,
  messages: readonly TestedMessage[],
  error: ErrorView | null,
): boolean {
  if (fault.kind !== 'cut') return error?.code.startsWith('http/') === true;
  const hasSession = messages.some(({ row }) => row.method === 'initialize');
  return direction === 'send' || !hasSession || error?.code !== 'call/outcome-unknown';
}

function placeFaults(messages: readonly TestedMessage[]): PlacedFault[] {
  const counts = { send: 0, receive: 0 };
  const placed: PlacedFault[] = [];
  let sent: TestedMessage['row'] | undefined;
  for (const { row, fault } of messages) {
    const direction = row.from === 'client' ? 'send' : 'receive';
    if (direction === 'send') {
      // The second of two equal requests is the effect of the fault.
      const isSecond = fault?.kind === 'duplicate' && sent?.fault === 'duplicate' && sent.id === row.id;
      sent = isSecond ? undefined : row;
      if (isSecond) continue;
    }
    if (fault) placed.push({ direction, index: counts[direction], fault, row });
    counts[direction] += 1;
  }
  return placed;
}

/** Exported names of `@tenon/testing` by kind of fault. */
const FUNCTIONS: Readonly<Record<MessageFault['kind'], string>> = {
  drop: 'drop',
  duplicate: 'duplicate',
  delay: 'delay',
  malformed: 'malformed',
  replace: 'replaceWith',
  cut: 'cut',
};

function writeSchedule(direction: string, faults: readonly PlacedFault[], hasTimeout: boolean): string {
  const [{ fault, index } = { fault: undefined, index: 0 }] = faults;
  const indexes = faults.map(each => each.index);
  const condition = indexes.length === 1 ? `index === ${index}` : `[${indexes.join(', ')}].includes(index)`;
  const message = fault?.kind === 'replace' ? 'message' : '_';
  return `${direction}: (${message}, index) => (${condition} ? ${fault ? writeFault(fault, hasTimeout) : ''} : undefined)`;
}

function writeFault(fault: MessageFault, hasTimeout: boolean): string {
  switch (fault.kind) {
    case 'delay':
      return `delay(${hasTimeout ? LONG_DELAY : Math.min(fault.ms, SHORT_DELAY)})`;
    case 'replace':
      return `replaceWith(Object.assign({}, message, { result: ${writeValue(toJsonObject(toJsonObject(fault.value).result), 6)} }))`;
    default:
      return FUNCTIONS[fault.kind];
  }
}

function writeComment({ direction, index, fault, row }: PlacedFault): string {
  const place = direction === 'send' ? 'to' : 'from';
  const delay = fault.kind === 'delay' ? ` The console delayed it by ${fault.ms} ms.` : '';
  const subject = row.kind === 'notification' || row.kind === 'request' ? row.method : `the response of ${row.method}`;
  return `Message ${index} ${place} the server, counted from 0, is ${subject}.${delay}`;
}

/** Describes a fault in the title of a test. */
function describeFault({ fault, row }: PlacedFault): string {
  const subject =
    row.kind === 'request' ? 'the request' : row.kind === 'notification' ? 'a notification' : 'the response';
  switch (fault.kind) {
    case 'drop':
      return `${subject} is lost`;
    case 'duplicate':
      return `${subject} arrives twice`;
    case 'delay':
      return `${subject} is late`;
    case 'malformed':
      return `${subject} is malformed`;
    case 'replace':
      return 'the result is replaced';
    case 'cut':
      return `the connection breaks before ${subject}`;
  }
}
