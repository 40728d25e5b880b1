/** Error codes that MCP adds to those of JSON-RPC. */

/** The resource was not found. Versions without this code use -32602. */
export const RESOURCE_NOT_FOUND = -32002;
/** The user must visit a URL first. */
export const URL_ELICITATION_REQUIRED = -32042;
/** A header does not match the body. */
export const HEADER_MISMATCH = -32020;
/** The request needs a client capability that it does not declare. */
export const MISSING_CLIENT_CAPABILITY = -32021;
/** The server does not support the protocol version. */
export const UNSUPPORTED_VERSION = -32022;
/** The user rejected a sampling request. The examples of the specification use this code. */
export const USER_REJECTED = -1;
