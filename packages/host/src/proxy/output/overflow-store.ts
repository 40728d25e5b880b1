import { type Clock, INVALID_PARAMS, rpcError, TenonError, type Values } from '@tenon/base';
import type { ReadResourceResult } from 'tenon';
import { getByteLength, getCharacterRange, sliceBytes } from './base64-range.js';
import { createOverflowLedger } from './overflow-ledger.js';

/** Stored content. A blob is base64. */
export type OverflowContent =
  | { readonly text: string; readonly mimeType?: string | undefined }
  | { readonly blob: string; readonly mimeType?: string | undefined };

/** Range to read, in characters (UTF-16 units) of a text, or in bytes of a blob. Default: the first page. */
export interface OverflowRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Number of a page, from 1, in place of `from` and `to`. */
  readonly page?: number | undefined;
}

export interface OverflowStore {
  /** Maximum size of a page, in characters of a text or bytes of a blob. `URI?page=2` is the URI of the second page. */
  readonly maxPageSize: number;
  /**
   * Stores content for an owner, and returns the URI under which only that owner can read it. Resolves with `undefined`
   * when the content is too large or the store is full.
   * @param owner Key of a user and OAuth client. `undefined` for all anonymous callers.
   */
  put(content: OverflowContent, owner: string | undefined): Promise<string | undefined>;
  /**
   * Reads a part of the content, at most one page. `_meta` of the contents contains the URI of the next page. Without
   * `range`, the range of the URI is used.
   *
   * Resolves with `undefined` when the content is missing, deleted, or belongs to another caller.
   * @throws TenonError `rpc/error` with code -32602 for an invalid range.
   */
  read(uri: string, owner: string | undefined, range?: OverflowRange): Promise<ReadResourceResult | undefined>;
}

export interface OverflowStoreOptions {
  readonly values: Values;
  readonly clock: Clock;
  /**
   * Lifetime of the content, in milliseconds.
   * @default 3,600,000 (one hour)
   */
  readonly ttl?: number | undefined;
  /**
   * Maximum size of all stored content, in characters (blobs as base64).
   * @default 64 Mi
   */
  readonly maxBytes?: number | undefined;
  /**
   * Maximum size of the content of one owner, in characters. The owner's oldest content is dropped first.
   * @default a quarter of `maxBytes`
   */
  readonly maxBytesPerOwner?: number | undefined;
  /**
   * Maximum size of one page, in characters of text or bytes of a blob.
   * @default 60,000
   */
  readonly maxPageSize?: number | undefined;
  /**
   * Called when the store fails, and the content is lost.
   * @default the errors are dropped
   */
  readonly onError?: ((error: TenonError) => void) | undefined;
}

declare const crypto: { randomUUID(): string };

/** Key in `_meta`: the length of the complete content. */
export const OVERFLOW_TOTAL = 'dev.tenon/total';
/** Key in `_meta`: the URI of the next page of the content. */
export const OVERFLOW_NEXT = 'dev.tenon/next';

const URI = /^tenon-overflow:\/\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\?([^#]*))?$/;
const DEFAULT_TTL = 3_600_000;
const MAX_BYTES = 64 * 2 ** 20;
export const MAX_PAGE = 60_000;
/**
 * Maximum length of one value, in characters. JSON may need six characters for each, and a store accepts 1 Mi by
 * default. It must be a multiple of 4.
 */
const CHUNK = 131_072;

export function isOverflowUri(uri: string): boolean {
  return URI.test(uri);
}

/** Creates a store for the content of results that were too large. */
export function createOverflowStore({
  values,
  clock,
  ttl = DEFAULT_TTL,
  maxBytes = MAX_BYTES,
  ...options
}: OverflowStoreOptions): OverflowStore {
  const { maxBytesPerOwner = Math.floor(maxBytes / 4), maxPageSize = MAX_PAGE, onError } = options;
  const forget = async (id: string, size: number) => {
    await values.delete(getHeadKey(id));
    for (let n = 0; n * CHUNK < size; n += 1) await values.delete(getChunkKey(id, n));
  };
  const ledger = createOverflowLedger({ values, clock, maxBytes, maxBytesPerOwner, forget });

  async function write(what: OverflowContent, by: string | undefined): Promise<string | undefined> {
    const id = crypto.randomUUID();
    const data = 'text' in what ? what.text : what.blob;
    const owner = by ?? null;
    if (!(await ledger.add({ id, size: data.length, end: clock.now() + ttl, owner }))) return undefined;
    try {
      for (let n = 0; n * CHUNK < data.length; n += 1)
        await values.put(getChunkKey(id, n), { data: data.slice(n * CHUNK, (n + 1) * CHUNK) }, { ttl: ttl });
      const { mimeType } = what;
      const head = {
        owner,
        isText: 'text' in what,
        size: data.length,
        ...(mimeType === undefined ? {} : { mimeType }),
      };
      await values.put(getHeadKey(id), head, { ttl: ttl });
      return `tenon-overflow://${id}`;
    } catch (error) {
      await ledger.remove(id).catch(() => {});
      throw error;
    }
  }

  /** Reads the characters from `start` to `end`. Resolves with `undefined` when a part is missing. */
  async function readChunks(id: string, start: number, end: number): Promise<string | undefined> {
    const first = Math.floor(start / CHUNK);
    const parts: string[] = [];
    for (let n = first; n * CHUNK < end; n += 1) {
      const data = (await values.get(getChunkKey(id, n)))?.value.data;
      if (typeof data !== 'string') return undefined;
      parts.push(data);
    }
    return parts.join('').slice(start - first * CHUNK, end - first * CHUNK);
  }

  /** Returns the range of a page. Its ends never split a surrogate pair. */
  async function findPage(
    id: string,
    { isText }: OverflowHead,
    page: number,
    total: number,
  ): Promise<[number, number]> {
    const pages = countPages(total, maxPageSize);
    if (!(Number.isSafeInteger(page) && page >= 1 && page <= pages))
      throw rpcError(INVALID_PARAMS, `Invalid params: page must be an integer from 1 to ${pages}`);
    const findEnd = async (position: number): Promise<number> => {
      if (position === 0 || position >= total) return Math.min(position, total);
      const last = isText ? ((await readChunks(id, position - 1, position)) ?? '') : '';
      return /[\ud800-\udbff]/.test(last) ? position - 1 : position;
    };
    return [await findEnd((page - 1) * maxPageSize), await findEnd(page * maxPageSize)];
  }

  async function readPart(
    id: string,
    head: OverflowHead,
    given: OverflowRange,
  ): Promise<ReadResourceResult | undefined> {
    const total = head.isText
      ? head.size
      : getByteLength(head.size, (await readChunks(id, head.size - 2, head.size)) ?? '');
    const [from, end] =
      given.page === undefined ? checkRange(given, total, maxPageSize) : await findPage(id, head, given.page, total);
    const content = head.isText
      ? await readChunks(id, from, end)
      : await readChunks(id, ...getCharacterRange(from, end)).then(data => data && sliceBytes(data, from, end));
    if (content === undefined) return undefined;
    // The automatic end of a page never splits a surrogate pair.
    const tears = head.isText && end < (given.to ?? total) && end - from > 1 && /[\ud800-\udbff]$/.test(content);
    const [shown, to] = tears ? [content.slice(0, -1), end - 1] : [content, end];
    const uri = `tenon-overflow://${id}`;
    const following = given.page === undefined ? `from=${to}` : `page=${given.page + 1}`;
    const next = to < total ? { [OVERFLOW_NEXT]: `${uri}?${following}` } : {};
    const own = given.page === undefined ? `from=${from}&to=${to}` : `page=${given.page}`;
    const contents = {
      uri: from === 0 && to === total ? uri : `${uri}?${own}`,
      ...(head.mimeType === undefined ? {} : { mimeType: head.mimeType }),
      _meta: { [OVERFLOW_TOTAL]: total, ...next },
    };
    return { contents: [head.isText ? { ...contents, text: shown } : { ...contents, blob: shown }] };
  }

  return {
    maxPageSize,
    async put(what, owner) {
      try {
        return await write(what, owner);
      } catch (error) {
        onError?.(TenonError.from(error));
        return undefined;
      }
    },
    async read(uri, owner, range) {
      const [, id, query] = URI.exec(uri) ?? [];
      if (id === undefined) return undefined;
      const head = (await values.get(getHeadKey(id)))?.value as OverflowHead | undefined;
      if (head === undefined || head.owner !== (owner ?? null)) return undefined;
      return readPart(id, head, range ?? parseRange(query ?? ''));
    },
  };
}

interface OverflowHead {
  readonly owner: string | null;
  readonly isText: boolean;
  readonly size: number;
  readonly mimeType?: string;
}

/** Returns the number of pages of a content. Empty content has one. */
export const countPages = (total: number, maxPageSize: number): number => Math.max(1, Math.ceil(total / maxPageSize));

const getHeadKey = (id: string) => `spill/${id}/head`;
const getChunkKey = (id: string, n: number) => `spill/${id}/${String(n).padStart(6, '0')}`;

function parseRange(query: string): OverflowRange {
  const searchParams = new URLSearchParams(query);
  const read = (name: string) => (searchParams.has(name) ? parseNumber(searchParams.get(name) ?? '') : undefined);
  return { from: read('from'), to: read('to'), page: read('page') };
}

function parseNumber(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

function checkRange({ from = 0, to }: OverflowRange, total: number, maxPage: number): [number, number] {
  const end = to ?? total;
  const fits = Number.isSafeInteger(from) && Number.isSafeInteger(end) && from >= 0 && from <= end && from <= total;
  if (!fits)
    throw rpcError(INVALID_PARAMS, `Invalid params: from and to must be integers from 0 to ${total}, with from <= to`);
  return [from, Math.min(end, total, from + maxPage)];
}
