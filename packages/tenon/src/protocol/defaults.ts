/** Some members of `T`. A member that is `undefined` counts as absent. */
export type Optional<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** All members of `T`, none of them absent or `undefined`. */
export type Complete<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> };

/** Options of which those with a default are present. */
type Defaulted<O, D> = Omit<O, keyof D> & {
  readonly [K in keyof D]: K extends keyof O ? Exclude<O[K], undefined> : D[K];
};

/** Sets the defaults of options that are absent or `undefined`. A spread would let `undefined` replace the default. */
export function applyDefaults<D extends object, O extends object>(
  defaults: D & { readonly [K in Exclude<keyof D, keyof O>]: never },
  options: O,
): Defaulted<O, D> {
  return { ...defaults, ...dropUndefined(options) } as Defaulted<O, D>;
}

/** Copies an object without its members that are `undefined`: reading them gives the same. */
export function dropUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
