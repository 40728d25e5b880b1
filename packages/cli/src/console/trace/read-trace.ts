import type { TraceProof, TraceView } from '@tenon/console/api';
import { TenonError } from 'tenon';
import type { ConsoleGateway } from '../gateway/console-gateway.js';
import type { OpenedRecordings } from '../recording/opened-recordings.js';
import type { WireLog } from '../wire-log.js';
import { joinTrace, type TracedDecision } from './join-trace.js';

/** Parts of a console from which traces are read. */
interface TraceParts {
  readonly log: WireLog;
  readonly recordings: OpenedRecordings;
  readonly gateway: ConsoleGateway | undefined;
}

/**
 * Reads the trace of the call to which a message belongs. The trace of a recorded message also has the messages of all
 * other open recordings, because each replica has its own.
 *
 * @throws TenonError `console/unknown` if the message belongs to no request in memory.
 */
export function readTrace({ log, recordings, gateway }: TraceParts, root: TraceProof): TraceView {
  const decisions: readonly TracedDecision[] = gateway?.policy?.listTraced() ?? [];
  if (root.recording !== null) recordings.getLog(root.recording);
  const sources =
    root.recording === null
      ? [{ recording: null, messages: log.listLinked() }]
      : [...recordings.listLogs()].map(([recording, each]) => ({ recording, messages: each.listLinked() }));
  const trace = joinTrace({ sources, root, decisions, isGateway: gateway !== undefined });
  if (trace) return trace;
  throw new TenonError('console/unknown', `message ${root.seq}: no request in memory has it`, {
    hint: 'choose a message of a call',
  });
}
