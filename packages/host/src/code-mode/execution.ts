import type { loadRuntime } from 'tenon/host-internals';

/** Code for input requests and steps, which is loaded with the first program. */
export type ExecutionRuntime = Awaited<ReturnType<typeof loadRuntime>>;
export type ExecutionBackend = ConstructorParameters<ExecutionRuntime['JournaledExecution']>[1];
export type CompletedStep = Awaited<ReturnType<ExecutionBackend['runStep']>>;
export type JournalEntry = InstanceType<ExecutionRuntime['Journal']>['entries'][number];
