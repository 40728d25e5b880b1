/** Something that is created when it is first needed. */
export interface Once<T> {
  /** Returns it. An attempt that failed is repeated by the next call. */
  get(): Promise<T>;
  /** Returns it if it was created. */
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
