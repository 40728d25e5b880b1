import type { JsonObject } from '../jsonrpc/message.js';
import type { RetryInputs } from '../protocol/params-and-results.js';
import type { Journal } from './journal.js';

/** Takes one report of progress. */
export type ReportProgress = (progress: number, total?: number, message?: string) => void;

/**
 * Asks the client one thing. Rejects when the client cannot be asked, says no with an error, or when the question is
 * withdrawn, where it can be, by the signal. `onProgress` gets the progress of the client, where it can report any.
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
  /** Does something once, however often the handler is entered, and remembers what came of it: a JSON value, or nothing. */
  step(name: string, work: () => unknown): Promise<unknown>;
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
   * The handler goes on by other ways, and whoever waits for it gets this result instead of its own, which is returned;
   * undefined when nobody waits for it any more, and all stays as it is. Absent where the request has to wait for it.
   */
  readonly redirectTo?:
    | ((backend: ExecutionBackend, result: JsonObject | Promise<JsonObject>) => Promise<JsonObject> | undefined)
    | undefined;
}

export interface JournaledRun extends HandlerRun {
  readonly journal: Journal;
}

/** Context that takes over a later request when the handler resumes. */
export interface ResumableContext {
  resumeWith(later: ResumableContext): void;
}

/** Something that may ask, and that may be entered again with the answers. */
export type RunHandler = (run: HandlerRun, inputs: RetryInputs) => HandlerResult;

/**
 * Strategy by which a handler requests input, chosen by the dialect. `hasMiddleware`: whether anything but the handler may
 * ask. Default true.
 */
export type InputStrategy = (handler: RunHandler, hasMiddleware?: boolean) => HandlerResult;

/** A question as it stands: its key is its own for as long as the call lives. */
export interface PendingInputRequest {
  readonly key: string;
  readonly method: string;
  readonly params: JsonObject;
}

/** Backend of an input strategy. */
export interface ExecutionBackend {
  /** Throws when the client cannot be asked this. */
  check(method: string, params: JsonObject): void;
  /** Brings a question to the client that has no answer yet. */
  deliver(question: PendingInputRequest, signal?: AbortSignal, onProgress?: ReportProgress): Promise<JsonObject>;
  /** Does a step that has not been done yet, and remembers it before anybody is told of it. */
  runStep(run: () => Promise<CompletedStep>): Promise<CompletedStep>;
}

/** A step that was done. Without a value it returned nothing. */
export interface CompletedStep {
  readonly step: string;
  /** Index among several of this name, from 0; absent for the first. */
  readonly n?: number;
  readonly value?: unknown;
}

/** A question that was put, and its answer once there is one. */
export interface RecordedRequest {
  readonly ask: string;
  readonly method: string;
  /** Tells the question from others. */
  readonly mark: string;
  readonly n?: number;
  readonly answer?: JsonObject;
  /** The reason of a refusal, if the client refused. */
  readonly refused?: string;
}

export type JournalEntry = CompletedStep | RecordedRequest;
