/** The error codes of JSON-RPC 2.0. Those that the Model Context Protocol adds are in `protocol/error-codes.ts`. */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/**
 * Too many requests: retry later. The code is outside the ranges that JSON-RPC and MCP reserve, so that it cannot
 * conflict with theirs.
 */
export const TOO_MANY_REQUESTS = 429;

/** The caller's token lacks a scope. JSON-RPC and MCP have no code for it, only an HTTP status. */
export const INSUFFICIENT_SCOPE = 403;
