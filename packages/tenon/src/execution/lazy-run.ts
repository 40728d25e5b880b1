import type { JsonObject } from '../jsonrpc/message.js';
import type { HandlerRun, JournaledRun, RequestInput, ResumableContext } from './handler-run.js';
import type { Journal } from './journal.js';

/** Module of the parts for input requests and steps. */
export type ExecutionRuntime = typeof import('./execution-runtime.js');

let loaded: ExecutionRuntime | undefined;

/** Most handlers never ask: it is loaded by the first one that does. */
export async function loadRuntime(): Promise<ExecutionRuntime> {
  loaded ??= await import('./execution-runtime.js');
  return loaded;
}

/** The run of a handler that nobody knows to ask: what remembers its questions and steps is made for the first of them. */
export abstract class LazyRun implements HandlerRun {
  protected journaled: JournaledRun | undefined;

  get journal(): Journal | undefined {
    return this.journaled?.journal;
  }

  request(...question: Parameters<RequestInput>): Promise<JsonObject> {
    // At once where it can be: what is asked inside of a step is noticed by that.
    return this.journaled
      ? this.journaled.request(...question)
      : this.toJournaled().then(run => run.request(...question));
  }

  step(name: string, work: () => unknown): Promise<unknown> {
    return this.journaled ? this.journaled.step(name, work) : this.toJournaled().then(run => run.step(name, work));
  }

  invokeHandler(_: ResumableContext, enter: () => JsonObject | Promise<JsonObject>): JsonObject | Promise<JsonObject> {
    return enter();
  }

  async toJournaled(): Promise<JournaledRun> {
    const runtime = await loadRuntime();
    this.journaled ??= this.createJournaled(runtime);
    return this.journaled;
  }

  protected abstract createJournaled(runtime: ExecutionRuntime): JournaledRun;
}
