import { type Dialect, dialects, getNewestDialect } from 'tenon/testing-internals';
import type { HandlerUnderTest } from './handler-under-test.js';

/** One execution mode of a handler on one protocol version. */
export interface ExecutionScenario {
  readonly name: string;
  readonly dialect: Dialect;
  /** True if the call becomes a task. */
  readonly task?: boolean;
  /** Index of the handler's action at which the call becomes a task. */
  readonly promotion?: { readonly index: number };
  /** True if no handler waits in memory. */
  readonly withoutMemory?: boolean;
  /** True if each request reaches another process than the previous one. */
  readonly alternates?: boolean;
  /** True if the process crashes after each write of the call. */
  readonly crashes?: boolean;
}

/**
 * Lists all scenarios. The first one is the reference: its handler runs once, and its client supports all input
 * requests.
 */
export function listScenarios({ task }: HandlerUnderTest): ExecutionScenario[] {
  const first = getNewestDialect('handshake');
  const all = dialects.flatMap(dialect => [
    ...listCallScenarios(dialect),
    ...(task && dialect.tasks ? listTaskScenarios(dialect) : []),
  ]);
  return [
    { name: 'by-request', dialect: first },
    ...all.filter(scenario => scenario.dialect !== first || scenario.task),
  ];
}

function listCallScenarios(dialect: Dialect): ExecutionScenario[] {
  if (dialect.inputRequests === 'by-request') return [{ name: 'by-request', dialect }];
  return [
    { name: 'held', dialect },
    { name: 'replayed', dialect, withoutMemory: true },
    { name: 'replayed by another replica', dialect, withoutMemory: true, alternates: true },
    { name: 'replayed, crashed at every write', dialect, withoutMemory: true, crashes: true },
  ];
}

function listTaskScenarios(dialect: Dialect): ExecutionScenario[] {
  const plain: ExecutionScenario = { name: 'task', dialect, task: true };
  const promoted: ExecutionScenario = { ...plain, name: 'promoted', promotion: { index: 0 } };
  const all = dialect.tasks === 'by-extension' ? [plain, promoted] : [plain];
  return [
    ...all,
    ...all.map(scenario => ({ ...scenario, name: `${scenario.name}, crashed at every write`, crashes: true })),
  ];
}
