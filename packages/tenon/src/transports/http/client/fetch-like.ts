/** The part of `fetch` that the transport uses. Any function with this signature can send the requests. */

/** The part of a `fetch` response that the transport uses. */
export interface FetchResponse {
  readonly status: number;
  readonly type?: string | undefined;
  readonly headers: { get(name: string): string | null };
  readonly body: FetchBody | null;
  text(): Promise<string>;
}

export interface FetchBody {
  getReader(): FetchReader;
  cancel(): Promise<void>;
}

export interface FetchReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/**
 * The global `fetch`, or a function with the same signature: one that signs requests, a test double, or a service
 * binding.
 */
export type FetchLike = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: string;
    signal?: AbortSignal;
    redirect: 'manual';
  },
) => Promise<FetchResponse>;
