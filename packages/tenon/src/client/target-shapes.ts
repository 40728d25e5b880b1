import {
  anything,
  type Check,
  callable,
  either,
  falsehood,
  list,
  numberIn,
  object,
  oneOf,
  optional,
  record,
  text,
  truth,
} from '../model/check.js';
import { requireShape } from '../model/option-check.js';
import type { ClientOptions } from './options.js';
import type { HttpTarget, StdioTarget } from './target.js';

type Keys<T> = { readonly [K in keyof Required<T>]: Check };

const object_ = object();
const milliseconds = optional(numberIn('a number of milliseconds', 0));

const httpKeys: Keys<HttpTarget> = {
  url: either(text, object({ href: text })),
  auth: optional(either(text, object_)),
  headers: optional(either(callable, record(text))),
  transport: optional(oneOf('http', 'http-sse')),
  fetch: optional(callable),
  onUnauthorized: optional(callable),
  resume: optional(object_),
  listen: optional(object_),
  maxMessage: optional(numberIn('a number of bytes', 1)),
};

const stdioKeys: Keys<StdioTarget> = {
  command: text,
  args: optional(list(text)),
  env: optional(record(optional(text))),
  cwd: optional(text),
  stderr: optional(either(oneOf('pipe', 'inherit', 'ignore'), callable)),
};

const optionKeys: Keys<ClientOptions> = {
  name: optional(text),
  version: optional(text),
  title: optional(text),
  icons: optional(list(object_)),
  revision: optional(text),
  prefers: anything,
  opening: anything,
  passesOn: anything,
  elicit: optional(callable),
  elicitUrl: optional(callable),
  sample: optional(callable),
  sampleTools: optional(truth),
  roots: optional(either(callable, list(object_), object_)),
  extensions: optional(list(object({ id: text }))),
  tasks: optional(truth),
  experimental: optional(object_),
  idleTimeout: milliseconds,
  totalTimeout: milliseconds,
  probeTimeout: milliseconds,
  maxRounds: optional(numberIn('a number', 0)),
  answerTimeout: milliseconds,
  validate: optional(oneOf('error', 'warn', 'off')),
  strictResults: optional(truth),
  logLevel: optional(text),
  cacheSize: optional(numberIn('a number', 0)),
  verdicts: optional(object_),
  keepAlive: optional(either(falsehood, object_)),
  copyMessages: optional(truth),
  clock: optional(object_),
};

/** Throws `connect/target` when a URL target is unfit. */
export function requireHttpTarget(target: HttpTarget): void {
  const shape = { code: 'connect/target', form: '{ url, auth?, headers?, … }', keys: httpKeys };
  requireShape('the target of connect', target, shape);
}

/** Throws `connect/target` when a command is unfit. */
export function requireStdioTarget(target: StdioTarget): void {
  const shape = { code: 'connect/target', form: '{ command, args?, env?, cwd?, stderr? }', keys: stdioKeys };
  requireShape('the target of connect', target, shape);
}

const ALIASES = { protocolVersion: 'revision', timeout: 'idleTimeout', sampling: 'sample', elicitation: 'elicit' };

/** Throws `connect/options` when the options of a client are unfit. */
export function requireClientOptions(options: ClientOptions): void {
  const shape = {
    code: 'connect/options',
    form: '{ elicit?, sample?, roots?, revision?, … }',
    keys: optionKeys,
    aliases: ALIASES,
  };
  requireShape('the options of connect', options, shape);
}
