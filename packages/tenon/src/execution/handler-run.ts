import type { MaybePromise } from '../jsonrpc/maybe-promise.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { RetryInputs } from '../protocol/params-and-results.js';
import type { Journal } from './journal.js';

/** Takes one report of progress. */
export type ReportProgress = (progress: number, total?: number, message?: string) => void;

/**
 * Sends one input request to the client. Rejects when the client does not support it, answers with an error, or when
 * `signal` withdraws the request, where that is possible. `onProgress` gets the client's progress, if the client
 * reports any.
 */
export type RequestInput = (
  method: string,
  params: JsonObject,
  signal?: AbortSignal,
  onProgress?: ReportProgress,
) => Promise<JsonObject>;

/** Result of a handler: synchronous where possible. */
export type HandlerResult = JsonObject | Promise<JsonObject>;

/** One run of a handler, which may repeat an earlier run: earlier requests and steps are remembered. */
export interface HandlerRun {
  request: RequestInput;
  /**
   * Does something once, however often the handler is entered, and remembers what came of it: a JSON value, or nothing.
   */
  step(name: string, work: () => unknown): Promise<unknown>;
  /** Remembers that the handler has come to this place. True the first time, however often the handler is entered. */
  mark(name: string): MaybePromise<boolean>;
  /**
   * Enters the handler itself, inside of all that is around it, or goes on with one that waits for what this request
   * brings. `seat` is what the handler knows of the request that it serves.
   */
  invokeHandler(context: ResumableContext, invoke: () => HandlerResult): HandlerResult;
  /** Requests and steps so far, if any. */
  readonly journal: Journal | undefined;
  /** The same run, with a journal in any case. */
  toJournaled(): Promise<JournaledRun>;
  /**
   * Ends the wait for the handler with this result, and lets the handler continue on its own. Returns the result, or
   * `undefined` when no caller waits for the handler, in which case nothing changes. Absent if the request must wait
   * for the handler.
   */
  readonly redirectTo?:
    | ((backend: ExecutionBackend, result: JsonObject | Promise<JsonObject>) => Promise<JsonObject> | undefined)
    | undefined;
}

export interface JournaledRun extends HandlerRun {
  readonly journal: Journal;
  /** Writes down a place that the handler came to before there was a journal. */
  addMark(name: string): void;
}

/** Context that takes over a later request when the handler resumes. */
export interface ResumableContext {
  resumeWith(later: ResumableContext): void;
}

/** A function that may request input, and that may run again with the answers. */
export type RunHandler = (run: HandlerRun, inputs: RetryInputs) => HandlerResult;

/**
 * Strategy by which a handler requests input, chosen by the dialect. `hasMiddleware`: true if middleware may request
 * input too. Default true.
 */
export type InputStrategy = (handler: RunHandler, hasMiddleware?: boolean) => HandlerResult;

/** A pending input request. Its key is unique during the call. */
export interface PendingInputRequest {
  readonly key: string;
  readonly method: string;
  readonly params: JsonObject;
}

/** Backend of an input strategy. */
export interface ExecutionBackend {
  /** Throws when the client does not support this input request. */
  check(method: string, params: JsonObject): void;
  /** Sends an unanswered input request to the client. */
  deliver(question: PendingInputRequest, signal?: AbortSignal, onProgress?: ReportProgress): Promise<JsonObject>;
  /** Runs a step that has no result yet, and stores its result before the handler gets it. */
  runStep(run: () => Promise<CompletedStep>): Promise<CompletedStep>;
}

/** A step that was done. Without a value it returned nothing. */
export interface CompletedStep {
  readonly step: string;
  /** Index among several of this name, from 0; absent for the first. */
  readonly n?: number;
  readonly value?: unknown;
}

/** An input request that was sent, and its answer once it exists. */
export interface RecordedRequest {
  readonly ask: string;
  readonly method: string;
  /** Identifies the input request. */
  readonly mark: string;
  readonly n?: number;
  readonly answer?: JsonObject;
  /** The reason of a refusal, if the client refused. */
  readonly refused?: string;
}

export type JournalEntry = CompletedStep | RecordedRequest;
