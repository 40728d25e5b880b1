import {
  checkArray,
  checkCharacters,
  checkEither,
  checkFunction,
  checkHeaderFields,
  checkObject,
  checkOneOf,
  checkOptional,
  checkRange,
  checkRecord,
  checkString,
} from './check.js';
import { checkOptions } from './check-options.js';

/** Checks an optional time in milliseconds. `Infinity` is no limit. */
export const checkMilliseconds = checkOptional(checkRange('a number of milliseconds', 0));

const checkBytes = checkOptional(checkRange('a number of bytes', 1));

/** Checks the options for reconnecting a broken stream. */
const checkReconnects = checkOptional(
  checkOptions({
    maxAttempts: checkOptional(checkRange('a number of attempts', 0)),
    initialDelay: checkMilliseconds,
    maxDelay: checkMilliseconds,
    maxElapsed: checkMilliseconds,
  }),
);

/** Checks of the members of a server at a URL. A client connects to it, or a host. */
export const HTTP_TARGET_CHECKS = {
  url: checkEither(checkString, checkObject({ href: checkString })),
  auth: checkOptional(checkEither(checkString, checkObject())),
  headers: checkOptional(checkEither(checkFunction, checkHeaderFields)),
  transport: checkOptional(checkOneOf('http', 'http-sse')),
  fetch: checkOptional(checkFunction),
  onUnauthorized: checkOptional(checkFunction),
  resume: checkReconnects,
  listen: checkReconnects,
  maxMessageSize: checkBytes,
};

/** Checks of the members of a server that a client or a host starts. */
export const STDIO_TARGET_CHECKS = {
  command: checkCharacters,
  args: checkOptional(checkArray(checkString)),
  env: checkOptional(checkRecord(checkOptional(checkString))),
  cwd: checkOptional(checkString),
  stderr: checkOptional(checkEither(checkOneOf('pipe', 'inherit', 'ignore'), checkFunction)),
  container: checkOptional(checkString),
  maxLineBytes: checkBytes,
  maxJsonDepth: checkOptional(checkRange('a number of levels', 1)),
};
