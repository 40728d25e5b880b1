import { TenonError, toTypedValues, type Values } from '@tenon/base';
import { type CallRunner, putOnce } from './put-once.js';

/** Maximum number of values that are deleted at the same time. */
const DELETED_AT_ONCE = 256;
/**
 * Number of digits of a number in a key. Leading zeros keep the numbers in order, because keys are listed by their
 * characters.
 */
const DIGITS = 9;

export interface AppendLogOptions {
  /** Beginning of the keys. */
  readonly prefix: string;
  /** ID of the writer. Use a new ID for each process, and each time that a process takes over the log. */
  readonly writer: string;
  /** Maximum size of all entries together, in characters of JSON. A larger log throws `store/value-too-large`. */
  readonly maxSize: number;
  /** Returns the remaining lifetime of the log, in milliseconds. */
  ttl(): number | undefined;
  /** The user or address whose share of the store the log uses. */
  readonly owner: string;
  /** Runs each call of the store, and repeats calls that fail. */
  readonly run: CallRunner;
}

/** The value of one append. A value without entries is a mark: its writer took over the log. */
interface Appended<T> {
  readonly writer: string;
  readonly entries?: readonly T[];
}

/**
 * A list of entries that one process at a time appends to. Each append writes one value with the next number, unless
 * that number is taken.
 *
 * A process that takes over the log first appends a mark, so the next append of the former writer fails. The new writer
 * has read all entries that were acknowledged.
 */
export class AppendLog<T extends object> {
  readonly #values: Values<Appended<T>>;
  readonly #options: AppendLogOptions;
  readonly #marks = new Set<number>();
  #count = 0;
  #size = 0;
  #pending: T[] = [];
  #nextWrite: Promise<boolean> | undefined;
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor(values: Values, options: AppendLogOptions) {
    this.#values = toTypedValues<Appended<T>>(values);
    this.#options = options;
  }

  /** Takes over the log and returns all its entries. Later appends of other writers are refused. */
  async takeOver(): Promise<T[]> {
    const entries: T[] = [];
    do entries.push(...(await this.#readMore()));
    while (!(await this.#put({ writer: this.#options.writer })));
    this.#marks.add(this.#count - 1);
    this.#size = JSON.stringify(entries).length;
    return entries;
  }

  /**
   * Appends entries. They are stored when the promise resolves.
   *
   * Returns false if another process has appended a mark or entries. Entries of concurrent calls are written together.
   */
  async append(entries: readonly T[]): Promise<boolean> {
    const { maxSize } = this.#options;
    const before = this.#size;
    const size = before + JSON.stringify(entries).length;
    if (size > maxSize)
      throw new TenonError('store/value-too-large', 'the entries are too large for the store', {
        expected: `at most ${maxSize} characters of JSON`,
        received: `${size}`,
      });
    this.#size = size;
    this.#pending.push(...entries);
    this.#nextWrite ??= this.#lastWrite.then(() => this.#writePending());
    this.#lastWrite = this.#nextWrite.catch(() => {});
    const isWritten = await this.#nextWrite;
    if (!isWritten) this.#size -= size - before;
    return isWritten;
  }

  /**
   * Passes the marks that other writers have appended. Returns false if they have appended entries too, so this writer
   * must not continue.
   */
  async skipMarks(): Promise<boolean> {
    await this.#lastWrite;
    return (await this.#readMore()).length === 0;
  }

  /** Deletes the entries. The marks stay until they expire, because they refuse a former writer that returns late. */
  async deleteEntries(): Promise<void> {
    await this.#lastWrite;
    const numbers = Array.from({ length: this.#count }, (_, number) => number).filter(each => !this.#marks.has(each));
    for (let start = 0; start < numbers.length; start += DELETED_AT_ONCE)
      await Promise.all(
        numbers.slice(start, start + DELETED_AT_ONCE).map(each => this.#values.delete(this.#toKey(each))),
      );
  }

  #writePending(): Promise<boolean> {
    const entries = this.#pending;
    this.#pending = [];
    this.#nextWrite = undefined;
    return this.#put({ writer: this.#options.writer, entries });
  }

  async #put(value: Appended<T>): Promise<boolean> {
    const { ttl, owner, run } = this.#options;
    const options = { version: 0, ttl: ttl(), owner };
    if ((await putOnce(this.#values, this.#toKey(this.#count), value, options, run)) === undefined) return false;
    this.#count++;
    return true;
  }

  async #readMore(): Promise<T[]> {
    const { prefix, run } = this.#options;
    const entries: T[] = [];
    for (;;) {
      const after = this.#count === 0 ? {} : { after: this.#toKey(this.#count - 1) };
      const page = await run(() => this.#values.list(prefix, after));
      for (const { key, value } of page) {
        this.#count = Number(key.slice(prefix.length)) + 1;
        if (value.entries === undefined) this.#marks.add(this.#count - 1);
        else entries.push(...value.entries);
      }
      if (page.length === 0) return entries;
    }
  }

  #toKey(number: number): string {
    return `${this.#options.prefix}${String(number).padStart(DIGITS, '0')}`;
  }
}
