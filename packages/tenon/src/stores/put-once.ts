import type { JsonObject, PutOptions, Values } from '@tenon/base';

/** Runs a call of a store. The runner may repeat the call if it fails. */
export type CallRunner = <R>(attempt: () => Promise<R>) => Promise<R>;

/**
 * Writes one version of a value once. A failed attempt may have taken effect, so a repetition first looks for its own
 * value. Returns the new version, or `undefined` when another value exists.
 */
export async function putOnce<T extends object = JsonObject>(
  values: Values<T>,
  key: string,
  value: T,
  options: PutOptions & { readonly version: number },
  run: CallRunner,
): Promise<number | undefined> {
  let failed = false;
  const written = await run(async () => {
    try {
      return await values.put(key, value, options);
    } catch (error) {
      failed = true;
      throw error;
    }
  });
  if (written !== undefined || !failed) return written;
  const stored = await run(() => values.get(key));
  const isOwn = stored?.version === options.version + 1 && JSON.stringify(stored.value) === JSON.stringify(value);
  return isOwn ? stored.version : undefined;
}
