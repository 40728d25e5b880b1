import { TenonError } from '../jsonrpc/error.js';

/** Says whether a value fits, and tells the walk what does not. */
export type Check = (value: unknown, walk: Walk) => boolean;

export type Path = (string | number)[];

/** One keyword that a value does not fit. */
export interface Fault {
  readonly keyword: string;
  /** What the schema says there. */
  readonly said: unknown;
  readonly path: Path;
  readonly value: unknown;
  /** What is wrong with each of the forms that the value may have. */
  readonly forms: readonly (readonly Fault[])[];
}

/** What a walk looks for. */
export interface Aim {
  /** Notes what is wrong; without it only whether something is. */
  readonly explains: boolean;
  /** Goes on behind the first fault. */
  readonly all: boolean;
  /** Whether the schema asks anywhere for what is left of a value. */
  readonly tracks: boolean;
  /** Subschemas that may be applied. */
  readonly steps: number;
}

const NOTHING_NOTED: readonly Fault[] = [];

/** One way of a schema through one value. */
export class Walk {
  readonly all: boolean;
  faults: Fault[] | undefined;
  /** Members and items of the value at hand that the schema at hand has spoken of. */
  seen: Set<string | number> | undefined;
  /** The bases of the documents on the way, where a schema asks for them. */
  readonly scope: string[] = [];
  readonly #path: Path = [];
  #left: number;

  constructor({ explains, all, tracks, steps }: Aim) {
    this.all = all;
    this.faults = explains ? [] : undefined;
    this.seen = tracks ? new Set() : undefined;
    this.#left = steps;
  }

  /** References that fan out can make a small schema take forever. */
  step(): void {
    if (--this.#left < 0) throw cannotJudge('it takes too many steps');
  }

  fail(keyword: string, said: unknown, value: unknown, forms: Fault['forms'] = []): false {
    this.faults?.push({ keyword, said, path: [...this.#path], value, forms });
    return false;
  }

  /** Applies a schema to a member or an item of the value at hand. */
  inside(check: Check, value: unknown, key: string | number): boolean {
    const { seen } = this;
    seen?.add(key);
    this.#path.push(key);
    this.seen = seen && new Set();
    const fits = check(value, this);
    this.seen = seen;
    this.#path.pop();
    return fits;
  }

  /** Applies one more schema to the value at hand. What that speaks of is spoken of here too, but not the other way. */
  beside(check: Check, value: unknown): boolean {
    const { seen } = this;
    if (seen === undefined) return check(value, this);
    this.seen = new Set();
    const fits = check(value, this);
    for (const key of this.seen) seen.add(key);
    this.seen = seen;
    return fits;
  }

  /** Applies a schema that need not fit: what is wrong then, and `undefined` where it fits. */
  attempt(check: Check, value: unknown): readonly Fault[] | undefined {
    const { faults, seen } = this;
    this.faults = faults && [];
    this.seen = seen && new Set();
    const fits = check(value, this);
    const found = this.faults;
    if (fits) for (const key of this.seen ?? []) seen?.add(key);
    this.faults = faults;
    this.seen = seen;
    return fits ? undefined : (found ?? NOTHING_NOTED);
  }
}

/** The schema is none by which this value can be judged. */
export function cannotJudge(why: string): TenonError {
  return new TenonError('schema/cannot-judge', why);
}
