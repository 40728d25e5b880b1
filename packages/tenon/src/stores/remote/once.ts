/** A value that is created on first use. */
export interface Once<T> {
  /** Returns the value, and creates it if necessary. If the creation failed, the next call repeats it. */
  get(): Promise<T>;
  /** Returns the value if it was created before. */
  peek(): Promise<T | undefined>;
}

export function createOnce<T>(create: () => Promise<T>): Once<T> {
  let created: Promise<T> | undefined;
  return {
    get() {
      created ??= create().catch(error => {
        created = undefined;
        throw error;
      });
      return created;
    },
    peek: async () => created?.catch(() => undefined),
  };
}
