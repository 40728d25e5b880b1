/**
 * Makes methods work when they are destructured from their object. A method is bound when it is read, so a request that
 * uses none creates no function.
 */
export function bindMethods<T extends object>(prototype: T, names: readonly (keyof T & string)[]): void {
  for (const name of names) {
    const method: unknown = prototype[name];
    Object.defineProperty(prototype, name, {
      configurable: true,
      get(this: T) {
        return (method as (...args: unknown[]) => unknown).bind(this);
      },
      set(this: T, value: unknown) {
        Object.defineProperty(this, name, { configurable: true, writable: true, value });
      },
    });
  }
}
