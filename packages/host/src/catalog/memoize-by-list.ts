/**
 * Creates a function that derives a value from a list once. A list never changes, and callers who see the same entries
 * have the same array, so what is derived of it is in memory once for all of them.
 */
export function memoizeByList<Entry, Derived>(
  derive: (entries: readonly Entry[]) => Derived,
): (entries: readonly Entry[]) => Derived {
  const derived = new WeakMap<readonly Entry[], { readonly value: Derived }>();
  return entries => {
    const known = derived.get(entries);
    if (known) return known.value;
    const value = derive(entries);
    derived.set(entries, { value });
    return value;
  };
}
