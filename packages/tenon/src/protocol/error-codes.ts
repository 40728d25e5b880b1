/** The error codes that the Model Context Protocol adds to those of JSON-RPC. */

/** A resource is not found. Versions without this code use -32602. */
export const RESOURCE_NOT_FOUND = -32002;
/** A URL must be visited first.. */
export const URL_ELICITATION_REQUIRED = -32042;
/** A header does not match the body. */
export const HEADER_MISMATCH = -32020;
/** The request needs a client capability that it does not declare. */
export const MISSING_CLIENT_CAPABILITY = -32021;
/** The protocol version is not served here. */
export const UNSUPPORTED_VERSION = -32022;
/** A user said no to sampling. The code of the specification's examples. */
export const USER_REJECTED = -1;
