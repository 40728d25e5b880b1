export const INVALID_PARAMS = -32602;
export const METHOD_NOT_FOUND = -32601;
export const INTERNAL_ERROR = -32603;
/** Code of requests that a host refuses or cannot fulfil. Receivers must not read a meaning into it. */
export const REFUSED = -32000;

/** A JSON-RPC error between a page and its host. */
export class AppError extends Error {
  /** Name of the class. */
  override readonly name = 'AppError';
  /** Code of the JSON-RPC error. */
  readonly code: number;
  /** Further information from the other side. Untrusted. */
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(String(message));
    this.code = code;
    this.data = data;
  }
}
