import {
  checkAnything,
  checkArray,
  checkBoolean,
  checkClock,
  checkEither,
  checkFalse,
  checkFunction,
  checkObject,
  checkOneOf,
  checkOptional,
  checkOptions,
  checkRange,
  checkString,
  type OptionChecks,
  requireOptions,
} from '@tenon/base';
import type { CorsOptions } from './cors.js';
import type { CloseOptions } from './endpoint.js';
import type { HealthOptions } from './health.js';
import { DEFAULT_LIMITS, type HandlerOptions } from './options.js';

const anyObject = checkOptional(checkObject());
const anyFunction = checkOptional(checkFunction);
const amount = checkOptional(checkRange('a number of at least 0', 0));
const strings = checkEither(checkOneOf('*'), checkArray(checkString));
const path = checkOptional(checkString);

const corsChecks: OptionChecks<CorsOptions> = {
  origins: strings,
  headers: checkOptional(checkArray(checkString)),
  credentials: checkOptional(checkBoolean),
  maxAge: amount,
};

const healthChecks: OptionChecks<HealthOptions> = {
  live: path,
  ready: path,
  stores: checkOptional(checkBoolean),
  checks: anyObject,
  getDetails: anyFunction,
  timeout: amount,
};

const limitNames = Object.keys(DEFAULT_LIMITS);

/** Checks of the options of every HTTP endpoint. */
export const handlerChecks: OptionChecks<HandlerOptions> = {
  path,
  ssePath: checkOptional(checkEither(checkFalse, checkString)),
  messagesPath: path,
  allowedHosts: checkOptional(strings),
  allowedOrigins: checkOptional(strings),
  cors: checkOptional(checkOptions(corsChecks)),
  auth: checkOptional(checkObject({ authorize: checkFunction, challenge: checkFunction, documents: checkObject() })),
  authorize: anyFunction,
  clientAddress: anyFunction,
  // `resolveSsePath` checks it.
  sessions: checkAnything,
  limits: checkOptional(checkOptions(Object.fromEntries(limitNames.map(name => [name, amount])))),
  eventStore: anyObject,
  health: checkOptional(checkEither(checkBoolean, checkOptions(healthChecks))),
  clock: checkOptional(checkClock),
  onError: anyFunction,
};

const closeChecks: OptionChecks<CloseOptions> = { timeout: amount, delay: amount };

/** Throws `serve/options` for options of `close` that are unknown or invalid. */
export function requireCloseOptions(options: CloseOptions): void {
  requireOptions('close', options, closeChecks, 'serve/options');
}
