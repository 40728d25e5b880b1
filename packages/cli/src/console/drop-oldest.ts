/** Removes the oldest entries beyond a maximum, except those in use. Returns their keys. */
export function dropOldest<K, V>(entries: Map<K, V>, max: number, isUsed: (value: V) => boolean = () => false): K[] {
  const dropped: K[] = [];
  for (const [key, value] of entries) {
    if (entries.size <= max) break;
    if (isUsed(value)) continue;
    entries.delete(key);
    dropped.push(key);
  }
  return dropped;
}
