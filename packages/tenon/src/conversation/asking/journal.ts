import { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { Asked, Entry, StepDone } from './asking.js';

/**
 * What a call has asked and done so far. An entry is found by what it is, not by its place: what runs side by side may
 * come in another order the next time.
 */
export class Journal {
  // Most calls ask nothing and do nothing in steps.
  #entries: Map<string, Entry> | undefined;
  #asked = 0;

  constructor(entries: Iterable<Entry> = []) {
    for (const entry of entries) this.add(entry);
  }

  get entries(): Entry[] {
    return [...(this.#entries?.values() ?? [])];
  }

  get size(): number {
    return this.#entries?.size ?? 0;
  }

  add(entry: Entry): void {
    const place = placeOf(entry);
    this.#entries ??= new Map();
    if (isAsked(entry) && !this.#entries.has(place)) this.#asked++;
    this.#entries.set(place, entry);
  }

  step(step: string, n: number): StepDone | undefined {
    return this.#entries?.get(stepPlace(step, n)) as StepDone | undefined;
  }

  question(mark: string, n: number): Asked | undefined {
    return this.#entries?.get(askPlace(mark, n)) as Asked | undefined;
  }

  /** Writes down that this is asked. */
  ask(method: string, mark: string, n: number): Asked {
    const entry: Asked = { ask: `ask-${this.#asked}`, method, mark, ...(n > 0 ? { n } : {}) };
    this.add(entry);
    return entry;
  }

  /** The questions that have no answer yet. */
  open(): Asked[] {
    return this.entries.filter(isAsked).filter(({ answer, refused }) => answer === undefined && refused === undefined);
  }

  answered(): (Asked & { readonly answer: JsonObject })[] {
    return this.entries.filter(entry => isAsked(entry) && entry.answer !== undefined) as never;
  }

  /** Takes over what another one knows. */
  learn(other: Journal): void {
    for (const entry of other.entries) {
      if (!this.#entries?.has(placeOf(entry))) this.add(entry);
      else if (isAsked(entry) && entry.answer !== undefined) this.answer(entry.ask, entry.answer);
    }
  }

  /** Writes an answer down. False when nobody waits for it: answers do not change. */
  answer(key: string, answer: JsonObject): boolean {
    const asked = this.open().find(({ ask }) => ask === key);
    if (asked) this.#entries?.set(placeOf(asked), { ...asked, answer });
    return asked !== undefined;
  }

  /** The first of what was asked or done that is in none of these places. */
  besides(places: ReadonlySet<string>): Entry | undefined {
    for (const [place, entry] of this.#entries ?? []) if (!places.has(place)) return entry;
    return undefined;
  }
}

export function isAsked(entry: Entry): entry is Asked {
  return 'ask' in entry;
}

export function stepPlace(step: string, n: number): string {
  return `step ${n} ${step}`;
}

export function askPlace(mark: string, n: number): string {
  return `ask ${n} ${mark}`;
}

function placeOf(entry: Entry): string {
  return isAsked(entry) ? askPlace(entry.mark, entry.n ?? 0) : stepPlace(entry.step, entry.n ?? 0);
}

export function notMet(entry: Entry): TenonError {
  const what = isAsked(entry) ? `question ${entry.ask} (${entry.method})` : `step "${entry.step}"`;
  return new TenonError('handler/not-deterministic', `the handler did not come to its ${what} again`, {
    expected: 'that it asks and does the same whenever it is entered with the same arguments and answers',
    next: 'put whatever differs from time to time (the clock, chance, what it reads) into a `ctx.step`',
  });
}
