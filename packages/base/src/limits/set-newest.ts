/**
 * Sets an entry of a map and moves it to the end, so that the first entry is the one that was set the longest time ago.
 * Above `max` entries, the first ones are deleted.
 */
export function setNewest<K, V>(map: Map<K, V>, key: K, value: V, max: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= max) return;
    map.delete(oldest);
  }
}
