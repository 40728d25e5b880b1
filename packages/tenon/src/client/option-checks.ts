import {
  checkAnything,
  checkArray,
  checkAuthInfo,
  checkBoolean,
  checkClock,
  checkEither,
  checkFalse,
  checkFunction,
  checkMilliseconds,
  checkObject,
  checkOneOf,
  checkOptional,
  checkOptions,
  checkRange,
  checkString,
  HTTP_TARGET_CHECKS,
  type OptionChecks,
  requireArgument,
  requirePresentOptions,
  requireShape,
  STDIO_TARGET_CHECKS,
} from '@tenon/base';
import type { KeepAliveOptions } from '../jsonrpc/keep-alive.js';
import { assumableCapabilities } from '../protocol/capabilities.js';
import { LOGGING_LEVELS } from '../protocol/content.js';
import type { CallOptions } from './call-options.js';
import type { ClientEvents, ClientOptions, CompletionOptions } from './options.js';
import type { HttpTarget, StdioTarget } from './target.js';

const anyObject = checkObject();

const logLevel = checkOneOf(LOGGING_LEVELS);

const callOptionKeys: OptionChecks<CallOptions> = {
  signal: checkOptional(checkObject({ aborted: checkBoolean, addEventListener: checkFunction })),
  onProgress: checkOptional(checkFunction),
  onTask: checkOptional(checkFunction),
  idleTimeout: checkMilliseconds,
  totalTimeout: checkMilliseconds,
  meta: checkOptional(anyObject),
  allowReservedMeta: checkOptional(checkBoolean),
  idempotent: checkOptional(checkBoolean),
  onStreamClosed: checkOptional(checkFunction),
  onRequestId: checkOptional(checkFunction),
  onTaskCreated: checkOptional(checkFunction),
  onPage: checkOptional(checkFunction),
  onListMissing: checkOptional(checkFunction),
  resolveInputRequests: checkOptional(checkBoolean),
};

const httpKeys: OptionChecks<HttpTarget> = HTTP_TARGET_CHECKS;
const stdioKeys: OptionChecks<StdioTarget> = STDIO_TARGET_CHECKS;

const optionKeys: OptionChecks<ClientOptions> = {
  name: checkOptional(checkString),
  version: checkOptional(checkString),
  title: checkOptional(checkString),
  icons: checkOptional(checkArray(anyObject)),
  protocolVersion: checkOptional(checkString),
  preferredVersion: checkAnything,
  getOpenSignal: checkAnything,
  openTimeout: checkAnything,
  forwarder: checkAnything,
  sharedSession: checkAnything,
  elicit: checkOptional(checkFunction),
  elicitUrl: checkOptional(checkFunction),
  sample: checkOptional(checkFunction),
  sampleTools: checkOptional(checkBoolean),
  roots: checkOptional(checkEither(checkFunction, checkArray(anyObject), anyObject)),
  extensions: checkOptional(checkArray(checkObject({ id: checkString }))),
  tasks: checkOptional(checkBoolean),
  experimental: checkOptional(anyObject),
  idleTimeout: checkMilliseconds,
  totalTimeout: checkMilliseconds,
  probeTimeout: checkMilliseconds,
  maxRounds: checkOptional(checkRange('a number', 0)),
  answerTimeout: checkMilliseconds,
  validate: checkOptional(checkOneOf('error', 'warn', 'off')),
  strict: checkOptional(checkBoolean),
  assumeCapabilities: checkOptional(checkArray(checkOneOf(assumableCapabilities))),
  logLevel: checkOptional(logLevel),
  cacheSize: checkOptional(checkRange('a number', 0)),
  completion: checkOptional(
    checkEither(
      checkFalse,
      checkOptions<CompletionOptions>({ debounceDelay: checkMilliseconds, ttl: checkMilliseconds }),
    ),
  ),
  versionCache: checkOptional(anyObject),
  keepAlive: checkOptional(
    checkEither(
      checkFalse,
      checkOptions<KeepAliveOptions>({ interval: checkMilliseconds, timeout: checkMilliseconds }),
    ),
  ),
  copyMessages: checkOptional(checkBoolean),
  caller: checkOptional(checkAuthInfo),
  telemetry: checkOptional(anyObject),
  onMessage: checkOptional(checkFunction),
  wrapTransport: checkOptional(checkFunction),
  clock: checkOptional(checkClock),
};

const ALIASES = { timeout: 'idleTimeout', sampling: 'sample', elicitation: 'elicit' };

/** Events of the client, by the names of options with which other programs receive them. */
const EVENT_OPTIONS: ReadonlyMap<string, keyof ClientEvents> = new Map([
  ['onError', 'error'],
  ['onLog', 'log'],
  ['onChange', 'change'],
  ['onNotification', 'notification'],
]);

/** Returns the next step for a key that belongs to another argument of `connect`, or is no option. */
function describePlace(key: string): string | undefined {
  const isIn = (keys: object) => Object.hasOwn(keys, key);
  const event = EVENT_OPTIONS.get(key);
  if (event !== undefined) return `listen to the event of the client: client.on('${event}', …)`;
  const target = isIn(httpKeys) ? 'url' : isIn(stdioKeys) ? 'command' : undefined;
  const members = target === undefined || target === key ? key : `${target}, ${key}`;
  if (isIn(optionKeys)) return `it belongs to another argument: write \`connect(target, { ${key} })\``;
  return target && `it belongs to another argument: write \`connect({ ${members} })\``;
}

/** Throws `connect/target` when a URL target is invalid. */
export function requireHttpTarget(target: HttpTarget): void {
  const form = '{ url, auth?, headers?, … }';
  requireShape('target of connect', target, { code: 'connect/target', form, keys: httpKeys, describePlace });
}

/** Throws `connect/target` when a command target is invalid. */
export function requireStdioTarget(target: StdioTarget): void {
  const form = '{ command, args?, env?, cwd?, stderr? }';
  requireShape('target of connect', target, { code: 'connect/target', form, keys: stdioKeys, describePlace });
}

/** Throws `connect/options` when the options of a client are invalid. */
export function requireClientOptions(options: ClientOptions): void {
  const shape = {
    code: 'connect/options',
    form: '{ elicit?, sample?, roots?, protocolVersion?, … }',
    keys: optionKeys,
    aliases: ALIASES,
    describePlace,
  };
  requireShape('options of connect', options, shape);
}

/** Throws `options/invalid` when the method of a message is no string, or its params are no object. */
export function requireMessage(name: string, method: unknown, params: unknown): void {
  requireArgument(`the method of client.${name}`, method, checkString);
  requireArgument(`the params of client.${name}`, params, checkOptional(anyObject));
}

/** Checks the params of `client.complete`. */
export const checkCompletion = checkObject({ ref: anyObject, argument: anyObject });

/** Throws `options/invalid` when the options of a call are invalid. */
export function requireCallOptions(method: string, options: object): void {
  requirePresentOptions(method, options, callOptionKeys);
}

/** Throws `options/invalid` when a log level is not one of the specification. */
export function requireLogLevel(level: unknown): void {
  requireArgument('the level of setLogLevel', level, logLevel);
}
