/**
 * Makes the methods of a class work when they are destructured from their object. A method is bound when it is read, so a
 * request that uses none creates no function.
 */
export function bindMethods(prototype: object): void {
  for (const [name, { value: method }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    // Accessors have no value.
    if (typeof method !== 'function' || name === 'constructor') continue;
    Object.defineProperty(prototype, name, {
      configurable: true,
      get() {
        return method.bind(this);
      },
      set(value: unknown) {
        Object.defineProperty(this, name, { configurable: true, writable: true, value });
      },
    });
  }
}
