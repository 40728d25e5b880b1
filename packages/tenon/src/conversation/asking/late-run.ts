import type { JsonObject } from '../../jsonrpc/message.js';
import type { Ask, KeptRun, Run, Seat } from './asking.js';
import type { Journal } from './journal.js';

/** What asking works by. */
export type Works = typeof import('./works.js');

let loaded: Works | undefined;

/** Most handlers never ask: it is loaded by the first one that does. */
export async function loadWorks(): Promise<Works> {
  loaded ??= await import('./works.js');
  return loaded;
}

/** The run of a handler that nobody knows to ask: what remembers its questions and steps is made for the first of them. */
export abstract class LateRun implements Run {
  protected made: KeptRun | undefined;

  get journal(): Journal | undefined {
    return this.made?.journal;
  }

  ask(...question: Parameters<Ask>): Promise<JsonObject> {
    // At once where it can be: what is asked inside of a step is noticed by that.
    return this.made ? this.made.ask(...question) : this.whole().then(run => run.ask(...question));
  }

  step(name: string, work: () => unknown): Promise<unknown> {
    return this.made ? this.made.step(name, work) : this.whole().then(run => run.step(name, work));
  }

  core(_: Seat, enter: () => JsonObject | Promise<JsonObject>): JsonObject | Promise<JsonObject> {
    return enter();
  }

  async whole(): Promise<KeptRun> {
    const works = await loadWorks();
    this.made ??= this.make(works);
    return this.made;
  }

  protected abstract make(works: Works): KeptRun;
}
