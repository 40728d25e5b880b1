import type { JsonObject } from '@tenon/base';

/** A completed step. Without a value, the step returned `undefined`. */
export interface CompletedStep {
  readonly step: string;
  /** Index among the steps with this name, from 0. Absent for the first. */
  readonly n?: number | undefined;
  readonly value?: unknown;
}

/** An input request that was sent, with its answer once it exists. */
export interface RecordedRequest {
  readonly ask: string;
  readonly method: string;
  /** Fingerprint of the method and params of the input request. */
  readonly mark: string;
  readonly n?: number | undefined;
  readonly answer?: JsonObject | undefined;
  /** Reason why the client refused the request. Absent if it did not refuse. */
  readonly refused?: string | undefined;
}

export type JournalEntry = CompletedStep | RecordedRequest;

/**
 * The input requests and steps of a call so far. An entry is found by its content, not by its position, because
 * concurrent work may run in another order the next time.
 */
export class Journal {
  // Most calls have neither input requests nor steps.
  #entries: Map<string, JournalEntry> | undefined;
  #requestCount = 0;
  /** The input requests without an answer. */
  #pending: Map<string, RecordedRequest> | undefined;

  constructor(entries: Iterable<JournalEntry> = []) {
    for (const entry of entries) this.add(entry);
  }

  get entries(): JournalEntry[] {
    return [...(this.#entries?.values() ?? [])];
  }

  get size(): number {
    return this.#entries?.size ?? 0;
  }

  add(entry: JournalEntry): void {
    const key = toEntryKey(entry);
    this.#entries ??= new Map();
    if (isRecordedRequest(entry)) {
      if (!this.#entries.has(key)) this.#requestCount++;
      this.#pending ??= new Map();
      if (isSettled(entry)) this.#pending.delete(key);
      else this.#pending.set(key, entry);
    }
    this.#entries.set(key, entry);
  }

  step(step: string, n: number): CompletedStep | undefined {
    return this.#entries?.get(toStepKey(step, n)) as CompletedStep | undefined;
  }

  getRequest(mark: string, n: number): RecordedRequest | undefined {
    return this.#entries?.get(toRequestKey(mark, n)) as RecordedRequest | undefined;
  }

  /** Records an input request. */
  ask(method: string, mark: string, n: number): RecordedRequest {
    const entry: RecordedRequest = { ask: `ask-${this.#requestCount}`, method, mark, ...(n > 0 ? { n } : {}) };
    this.add(entry);
    return entry;
  }

  /** Returns the input requests without an answer. */
  listPending(): RecordedRequest[] {
    return [...(this.#pending?.values() ?? [])];
  }

  /** Returns the input request with this key, if it has no answer yet. */
  getPending(key: string): RecordedRequest | undefined {
    return this.listPending().find(({ ask }) => ask === key);
  }

  listAnswered(): (RecordedRequest & { readonly answer: JsonObject })[] {
    return this.entries.filter(entry => isRecordedRequest(entry) && entry.answer !== undefined) as never;
  }

  /** Adds the entries and answers of another journal of the same call. */
  merge(other: Journal): void {
    for (const entry of other.entries) if (!this.#entries?.has(toEntryKey(entry))) this.add(entry);
    // Concurrent requests may have been made in another order, which gave them other keys.
    for (const { mark, n = 0, answer } of other.listAnswered()) {
      const own = this.getRequest(mark, n);
      if (own) this.answer(own.ask, answer);
    }
  }

  /** Records an answer. Returns false when the input request is already answered, because answers do not change. */
  answer(key: string, answer: JsonObject): boolean {
    const pending = this.getPending(key);
    if (pending) this.add({ ...pending, answer });
    return pending !== undefined;
  }

  /** Returns the first recorded input request or step whose key is not in `visited`. */
  findFirstUnvisited(visited: ReadonlySet<string>): JournalEntry | undefined {
    for (const [key, entry] of this.#entries ?? []) if (!visited.has(key)) return entry;
    return undefined;
  }
}

export function isRecordedRequest(entry: JournalEntry): entry is RecordedRequest {
  return 'ask' in entry;
}

/** Tells if an entry is complete: a step, or an input request that was answered or refused. */
export function isSettled(entry: JournalEntry): boolean {
  return !isRecordedRequest(entry) || entry.answer !== undefined || entry.refused !== undefined;
}

export function toStepKey(step: string, n: number): string {
  return `step ${n} ${step}`;
}

export function toRequestKey(mark: string, n: number): string {
  return `ask ${n} ${mark}`;
}

export function toEntryKey(entry: JournalEntry): string {
  return isRecordedRequest(entry) ? toRequestKey(entry.mark, entry.n ?? 0) : toStepKey(entry.step, entry.n ?? 0);
}
