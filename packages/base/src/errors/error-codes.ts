/** The error codes of JSON-RPC 2.0. The codes of MCP are in `protocol/error-codes.ts`. */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/**
 * Error code for too many requests: retry later. The code is outside the ranges that JSON-RPC and MCP reserve, so that
 * it cannot conflict with their codes.
 */
export const TOO_MANY_REQUESTS = 429;

/**
 * Error code for a request whose process has stopped. The request may have been executed. The code is outside the
 * ranges that JSON-RPC and MCP reserve.
 */
export const SERVER_STOPPED = 503;

/**
 * Error code for a request that was not executed, because the store of the server does not respond: retry later. The
 * code is outside the ranges that JSON-RPC and MCP reserve.
 */
export const UNAVAILABLE = 503;

/** Error code for an access token that lacks a scope. JSON-RPC and MCP define only the HTTP status 403 for it. */
export const INSUFFICIENT_SCOPE = 403;
