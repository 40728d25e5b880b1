import type { Dialect } from '../../protocol/versions/dialect.js';
import { dialects, getNewestDialect } from '../../protocol/versions/index.js';
import type { HandlerUnderTest } from './handler-under-test.js';

/** One way to serve a handler, on one protocol version. */
export interface ExecutionScenario {
  readonly name: string;
  readonly dialect: Dialect;
  /** True if the call is, or becomes, a task. */
  readonly task?: boolean;
  /** At which of its deeds the handler is when its call becomes a task. */
  readonly promotion?: { readonly index: number };
  /** True if no handler waits in memory. */
  readonly withoutMemory?: boolean;
  /** True if each request reaches another process than the one before. */
  readonly alternates?: boolean;
  /** True if the process dies after each write that has to be remembered. */
  readonly crashes?: boolean;
}

/** All scenarios. The first is the reference: its handler runs once, and its client supports all input requests. */
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
    { name: 'replayed by another replica', dialect, alternates: true },
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
