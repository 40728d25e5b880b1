/** Makes what a definition becomes once for each name under which it is offered, and forgets it with the definition. */
export function memoizeCompile<D extends object, C>(
  compile: (name: string, definition: D) => C,
): (name: string, definition: D) => C {
  const cache = new WeakMap<D, Map<string, C>>();
  return (name, definition) => {
    const byName = cache.get(definition) ?? new Map<string, C>();
    const cached = byName.get(name);
    if (cached !== undefined) return cached;
    const compiled = compile(name, definition);
    cache.set(definition, byName.set(name, compiled));
    return compiled;
  };
}
