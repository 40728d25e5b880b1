import { type StdioTarget, type TenonError, type Transport, wrapTransport } from 'tenon';
import { openTransport } from 'tenon/node';
import { isEchoedRequest } from '../target/explain-failure.js';

/** Observations of all processes that the doctor started. */
export interface StdioObservation {
  /** Errors of lines on standard output that are not JSON. */
  readonly noise: TenonError[];
  /** Last lines on standard error. */
  readonly stderr: string[];
  /** Times between the end of standard input and the exit, in milliseconds. */
  readonly exitTimes: number[];
  /** Errors of processes that ended before the doctor closed them. */
  readonly exits: TenonError[];
  /** True if a process repeated a request of the client. */
  hasEcho: boolean;
}

/** Maximum number of lines that are kept. */
const MAX_LINES = 50;

export const createObservation = (): StdioObservation => ({
  noise: [],
  stderr: [],
  exitTimes: [],
  exits: [],
  hasEcho: false,
});

/** Opens a transport to a process that records observations. */
export async function openObservedTransport(
  target: StdioTarget,
  observation: StdioObservation,
  now: () => number,
): Promise<Transport> {
  const keep = <T>(list: T[], item: T) => {
    list.push(item);
    if (list.length > MAX_LINES) list.shift();
  };
  const transport = await openTransport({ ...target, stderr: line => keep(observation.stderr, line) });
  return wrapTransport(transport, {
    receive: receiver => ({
      onMessage(value, context) {
        observation.hasEcho ||= isEchoedRequest(value);
        receiver.onMessage(value, context);
      },
      onParseError(error, id) {
        keep(observation.noise, error);
        receiver.onParseError(error, id);
      },
      onClose(error) {
        if (error) keep(observation.exits, error);
        receiver.onClose(error);
      },
    }),
    async close() {
      const start = now();
      await transport.close();
      observation.exitTimes.push(now() - start);
    },
  });
}
