import type { JsonObject, MaybePromise } from '@tenon/base';
import type { RetryInputs } from '../protocol/params-and-results.js';
import type { CompletedStep, Journal } from './journal.js';

/** Receives one progress report. */
export type ReportProgress = (progress: number, total?: number, message?: string) => void;

/**
 * Sends one input request to the client. Rejects when the client does not support the request or returns an error.
 *
 * Aborting `signal` withdraws the request where that is possible. `onProgress` receives the client's progress
 * notifications.
 */
export type RequestInput = (
  method: string,
  params: JsonObject,
  signal?: AbortSignal,
  onProgress?: ReportProgress,
) => Promise<JsonObject>;

/** Result of a handler: synchronous where possible. */
export type HandlerResult = JsonObject | Promise<JsonObject>;

/**
 * One run of a handler. A run may repeat an earlier run, and then finds the results of earlier input requests and
 * steps.
 */
export interface HandlerRun {
  /** Sends an input request to the client. */
  request: RequestInput;
  /**
   * Runs `work` once per call, even if the handler runs again. Stores the result, which must be a JSON value or
   * `undefined`, and returns it on later runs.
   */
  step(name: string, work: () => unknown): Promise<unknown>;
  /** Records that the handler reached this point. Returns true the first time, even if the handler runs again. */
  mark(name: string): MaybePromise<boolean>;
  /**
   * Runs the handler inside its middleware, or resumes a suspended handler that waits for this request. `context`
   * describes the request.
   */
  invokeHandler(context: ResumableContext, invoke: () => HandlerResult): HandlerResult;
  /** Input requests and steps so far. Undefined if there are none. */
  readonly journal: Journal | undefined;
  /** Returns the same run with a journal. Creates the journal if necessary. */
  toJournaled(): Promise<JournaledRun>;
  /**
   * Ends the request with this result, and lets the handler continue in the background. Returns the result of the
   * handler, or `undefined` when no caller waits for the handler. Absent if the request must wait for the handler.
   */
  readonly redirectTo?:
    | ((backend: ExecutionBackend, result: JsonObject | Promise<JsonObject>) => Promise<JsonObject> | undefined)
    | undefined;
}

export interface JournaledRun extends HandlerRun {
  readonly journal: Journal;
  /** Records a mark that the handler reached before the journal existed. */
  addMark(name: string): void;
}

/** Context of a handler that resumes in a later request. The later request passes its own context to this one. */
export interface ResumableContext {
  resumeWith(later: ResumableContext): void;
}

/** A function that may request input. It may run again with the answers. */
export type RunHandler = (run: HandlerRun, inputs: RetryInputs) => HandlerResult;

/**
 * Strategy by which a handler requests input. The protocol version determines the strategy. `hasMiddleware` is true if
 * middleware may request input too. Default: true.
 */
export type InputStrategy = (handler: RunHandler, hasMiddleware?: boolean) => HandlerResult;

/** A pending input request. Its key is unique during the call. */
export interface PendingInputRequest {
  readonly key: string;
  readonly method: string;
  readonly params: JsonObject;
}

/** Sends input requests and runs steps for a run. */
export interface ExecutionBackend {
  /** Throws when the client does not support this input request. */
  check(method: string, params: JsonObject): void;
  /** Sends an unanswered input request to the client. */
  deliver(request: PendingInputRequest, signal?: AbortSignal, onProgress?: ReportProgress): Promise<JsonObject>;
  /** Runs a step that has no result yet, and stores its result before the handler gets it. */
  runStep(run: () => Promise<CompletedStep>): Promise<CompletedStep>;
}
