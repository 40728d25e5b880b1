import {
  createSeal,
  isObject,
  type JsonObject,
  type SealKey,
  TenonError,
  toRecordValues,
  type Values,
} from '@tenon/base';

/** Key of the record that shows which keys a deployment uses. It contains no secret. */
const KEY = 'seal-check';
const BINDING = 'check of keys';
/** Maximum number of keys in the record. Adding another one drops the first. */
const MAX_KEYS = 16;

/**
 * Creates a function that rejects if the keys of this process are not those of the deployment. The record has a sealed
 * text for each first key that a process has used. A process that opens one of them adds a text for its own first key,
 * so that the next processes may have the new key only.
 */
export function createSealCheck(rawValues: Values, keys: readonly SealKey[]): () => Promise<void> {
  const values = toRecordValues(rawValues);
  const seal = createSeal(keys);
  const current = keys[0]?.id ?? '';
  const canOpen = async (text: unknown) => typeof text === 'string' && (await seal.open(text, BINDING)) !== undefined;

  return async () => {
    for (;;) {
      const stored = await values.get(KEY);
      const texts: JsonObject = isObject(stored?.value.keys) ? stored.value.keys : {};
      if (await canOpen(texts[current])) return;
      const opened = await Promise.all(Object.values(texts).map(canOpen));
      if (current in texts || (opened.length > 0 && !opened.includes(true)))
        throw new TenonError('store/wrong-keys', 'the keys of this process are not those of the deployment', {
          expected: `one of the keys ${Object.keys(texts).join(', ')}, with the bytes that the other replicas have`,
          hint: 'pass the keys of the other replicas. To add a key, put it at the end at all replicas, then move it to the front',
        });
      const entries = [...Object.entries(texts), [current, await seal.seal({}, BINDING)] as const];
      const record = { keys: Object.fromEntries(entries.slice(-MAX_KEYS)) };
      if ((await values.put(KEY, record, { version: stored?.version ?? 0 })) !== undefined) return;
    }
  };
}
