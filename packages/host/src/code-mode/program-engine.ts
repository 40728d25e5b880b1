/** Limits of one program, as in `CodeModeOptions`. */
export interface ProgramLimits {
  readonly maxMemory: number;
  readonly maxComputeTime: number;
  readonly maxCalls: number;
  readonly maxOutput: number;
}

/** Program to start. */
export interface EngineProgram {
  readonly code: string;
  /** Seed of `Math.random()`. */
  readonly seed: number;
  /** Time that the program reads, in milliseconds since the epoch. */
  readonly time: number;
  readonly limits: ProgramLimits;
}

/** Reason why a program ended without a result. */
export type ProgramFailure = 'threw' | 'syntax' | 'memory' | 'compute-time' | 'output' | 'unfinished' | 'stopped';

/** Outcome of a program. */
export type ProgramEnd =
  | { readonly value: string | undefined; readonly log: readonly string[] }
  | {
      readonly failure: ProgramFailure;
      readonly message: string;
      /** Line of the program, from 1. */
      readonly line?: number | undefined;
      readonly log: readonly string[];
    };

/** Receives the events of a running program. */
export interface EngineEvents {
  /** The program calls a tool. `args` is JSON. Calls are numbered from 0, in the order of the program. */
  onCall(index: number, name: string, args: string): void;
  /** The program computes nothing until it gets the outcome of a call. */
  onIdle(): void;
  onEnd(end: ProgramEnd): void;
}

/** Outcome of a call, for the program. `json` is its value, or the error of a failed call. */
export interface DeliveredOutcome {
  readonly ok: boolean;
  readonly json: string;
}

/** Program that is running. */
export interface RunningProgram {
  /** Gives the program the outcome of a call. */
  deliver(index: number, outcome: DeliveredOutcome): void;
  /** Ends the program. No events follow. */
  stop(): void;
}

/** Runs programs without access to the network, files, the clock or random values of this process. */
export interface ProgramEngine {
  /** Throws `program/not-installed` if a package is missing. */
  check(): void;
  start(program: EngineProgram, events: EngineEvents): RunningProgram;
}
