import { useEffect, useState } from 'preact/hooks';

/** Reads a value for each number, and keeps it. A value that cannot be read is `null`. `read` must not change. */
export function useReads<V>(
  wanted: readonly number[],
  read: (number: number) => Promise<V>,
): ReadonlyMap<number, V | null> {
  const [values, setValues] = useState<ReadonlyMap<number, V | null>>(new Map());
  const missing = wanted.filter(number => !values.has(number));
  const key = missing.join();
  useEffect(() => {
    if (key === '') return;
    let isCurrent = true;
    const reading = missing.map(async number => [number, await read(number).catch(() => null)] as const);
    void Promise.all(reading).then(found => {
      if (isCurrent) setValues(new Map([...values, ...found]));
    });
    return () => {
      isCurrent = false;
    };
  }, [key]);
  return values;
}
