/** The members of `T`, all optional. A member that is `undefined` counts as absent. */
export type Optional<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** The members of `T`, all required and not `undefined`. */
export type Complete<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> };

/** Options in which every member with a default is present. */
type Defaulted<O, D> = Omit<O, keyof D> & {
  readonly [K in keyof D]: K extends keyof O ? Exclude<O[K], undefined> : D[K];
};

/**
 * Sets the defaults of options that are absent or `undefined`. An object spread would let `undefined` replace a
 * default.
 */
export function applyDefaults<D extends object, O extends object>(
  defaults: D & { readonly [K in Exclude<keyof D, keyof O>]: never },
  options: O,
): Defaulted<O, D> {
  return { ...defaults, ...dropUndefined(options) } as Defaulted<O, D>;
}

/** Copies an object without the members that are `undefined`. */
export function dropUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
