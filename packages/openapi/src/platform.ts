import { type ByteFetch, fetchWithGlobal } from '@tenon/base';

/** Access to files. Absent on runtimes without them. */
export interface Files {
  /** Returns the `file:` URL of a path, from the current folder. */
  toUrl(path: string): string;
  /** Reads a text of UTF-8. Rejects with an error that has a `code`: `too-large` for more than `maxSize` bytes. */
  read(url: string, maxSize: number): Promise<string>;
}

/** Functions of a runtime. */
export interface Platform {
  readonly fetch: ByteFetch;
  readonly files?: Files;
}

/** Runtimes that have `fetch` only. */
export const webPlatform: Platform = { fetch: fetchWithGlobal };
