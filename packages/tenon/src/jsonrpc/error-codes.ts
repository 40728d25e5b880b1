/** The error codes of JSON-RPC 2.0. Those that the Model Context Protocol adds are in `protocol/error-codes.ts`. */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/**
 * Too much at once: come again. Outside of all that JSON-RPC and the protocol reserve, so that it collides with no
 * meaning of theirs.
 */
export const TOO_MANY_REQUESTS = 429;

/** The caller's token lacks a scope. There is no code for that either, only a status of HTTP. */
export const INSUFFICIENT_SCOPE = 403;
