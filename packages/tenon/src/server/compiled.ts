/** Makes what a definition becomes once for each name under which it is offered, and forgets it with the definition. */
export function compiledOnce<D extends object, C>(
  make: (name: string, definition: D) => C,
): (name: string, definition: D) => C {
  const made = new WeakMap<D, Map<string, C>>();
  return (name, definition) => {
    const names = made.get(definition) ?? new Map<string, C>();
    const before = names.get(name);
    if (before !== undefined) return before;
    const ready = make(name, definition);
    made.set(definition, names.set(name, ready));
    return ready;
  };
}
