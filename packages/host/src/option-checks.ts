import {
  checkAnything,
  checkArray,
  checkBoolean,
  checkCharacters,
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
  checkRecord,
  checkStores,
  checkString,
  HTTP_TARGET_CHECKS,
  type OptionChecks,
  requireOptions,
  STDIO_TARGET_CHECKS,
  TenonError,
} from '@tenon/base';
import { assumableCapabilities, type HttpTarget, protocolVersions, type StdioTarget } from 'tenon';
import { checkExceptions } from 'tenon/host-internals';
import type { CollapseOptions } from './catalog/budget/collapse-tools.js';
import { type CallerTemplates, findTemplateIssues } from './config/caller-template.js';
import { checkToolName } from './config/sections/tool-settings.js';
import type { ServiceAccount, ToolOverride, ToolSettings } from './config/server-entry.js';
import type { HostOptions, InProcessServer, OpenApiTarget, ServerSettings } from './host-options.js';
import type { OutputLimits } from './proxy/output/output-limits.js';
import type { HostScreeningOptions } from './security/guard/guard-options.js';

const anyObject = checkObject();
const anyFunction = checkOptional(checkFunction);
const flag = checkOptional(checkBoolean);
const text = checkOptional(checkString);
const texts = checkOptional(checkArray(checkString));
const textByName = checkOptional(checkRecord(checkString));
const size = checkOptional(checkRange('a number of characters', 0));
const count = checkOptional(checkRange('a number of at least 1', 1));

const checkBudget = checkEither(
  checkRange('a number of tokens', 0),
  checkOptions<CollapseOptions>({
    budget: checkRange('a number of tokens', 0),
    pinned: texts,
    countTokens: anyFunction,
    embed: anyFunction,
    embedTimeout: checkMilliseconds,
  }),
);

const checkOutput = checkOptions<OutputLimits>({
  maxTotal: size,
  maxText: size,
  maxBinary: size,
  maxStructured: size,
  maxWithSchema: size,
  maxOther: size,
});

/** Checks of the options of `createHost` for every runtime. */
export const HOST_CHECKS: OptionChecks<HostOptions> = {
  servers: checkRecord(checkAnything),
  name: text,
  version: text,
  title: text,
  prefix: checkOptional(checkOneOf('always', 'never', 'auto')),
  startTimeout: checkMilliseconds,
  listTimeout: checkMilliseconds,
  connectionIdleTimeout: checkMilliseconds,
  maxProcesses: count,
  maxConnectionsPerCaller: count,
  maxConnectionsPerServer: count,
  maxShare: checkOptional(checkRange('a number from 0 to 1', 0, 1)),
  waitForTasks: flag,
  listDenied: flag,
  extensions: texts,
  pageSize: count,
  budget: checkOptional(checkBudget),
  // `createCodeMode` checks it.
  codeMode: checkAnything,
  credentials: anyFunction,
  callerSignIn: checkOptional(checkObject({ getAuthorizer: checkFunction, onChange: checkFunction })),
  stores: checkOptional(checkStores),
  inputRequests: checkOptional(anyObject),
  tasks: checkOptional(anyObject),
  strict: flag,
  rateLimits: checkOptional(checkEither(checkFalse, anyObject)),
  telemetry: checkOptional(checkObject({ observeUnknownFormats: checkFunction })),
  onServerState: anyFunction,
  onError: anyFunction,
  clock: checkOptional(checkClock),
  elicit: anyFunction,
  elicitUrl: anyFunction,
  sample: anyFunction,
  sampleTools: flag,
  roots: checkOptional(checkEither(checkFunction, checkArray(anyObject), anyObject)),
  forwarder: checkAnything,
  policy: checkOptional(checkEither(checkArray(anyObject), anyObject)),
  approve: anyFunction,
  approvals: checkOptional(anyObject),
  quotas: checkOptional(checkArray(anyObject)),
  lockGuard: checkOptional(anyObject),
  mayStart: anyFunction,
  onDrift: anyFunction,
  audit: checkOptional(anyObject),
  auditAnchorInterval: checkMilliseconds,
  output: value => (value === undefined || value === true ? undefined : checkOutput(value)),
  screening: checkOptional(
    checkEither(
      checkFalse,
      checkOptions<HostScreeningOptions>({
        onThreat: checkOptional(checkOneOf('report', 'mask', 'block')),
        // `TextGuard` checks them.
        definitions: checkAnything,
        results: checkAnything,
      }),
    ),
  ),
  onScreeningReport: anyFunction,
  broker: anyFunction,
  sampling: checkOptional(checkOneOf('fallback', 'all')),
};

const TARGET_CHECKS: OptionChecks<
  Omit<HttpTarget, keyof OpenApiTarget> & OpenApiTarget & StdioTarget & InProcessServer
> = {
  ...HTTP_TARGET_CHECKS,
  ...STDIO_TARGET_CHECKS,
  url: checkOptional(HTTP_TARGET_CHECKS.url),
  transport: checkOptional(checkOneOf('http', 'http-sse', 'openapi')),
  command: checkOptional(STDIO_TARGET_CHECKS.command),
  apiUrl: text,
  // `openapi` checks its options.
  openapi: checkOptional(anyObject),
  service: checkOptional(checkEither(checkFunction, checkObject({ connect: checkFunction }))),
};

const checkOverride = checkOptions<ToolOverride>({
  name: checkOptional(checkToolName),
  title: text,
  description: text,
  defaults: checkOptional(anyObject),
  hide: texts,
});

const SERVER_CHECKS: OptionChecks<ServerSettings> = {
  disabled: flag,
  startTimeout: checkMilliseconds,
  idleTimeout: checkMilliseconds,
  totalTimeout: checkMilliseconds,
  trusted: flag,
  // `requireServers` checks them.
  authExceptions: checkAnything,
  serviceAccount: checkOptional(
    checkOptions<ServiceAccount>({
      clientId: checkCharacters,
      clientSecret: text,
      privateKey: text,
      issuer: text,
      scopes: text,
    }),
  ),
  tools: checkOptional(
    checkOptions<ToolSettings>({
      include: texts,
      exclude: texts,
      overrides: checkOptional(checkRecord(checkOverride)),
    }),
  ),
  roots: texts,
  share: flag,
  strict: flag,
  assumeCapabilities: checkOptional(checkArray(checkOneOf(assumableCapabilities))),
  protocolVersion: checkOptional(checkOneOf(protocolVersions)),
  perCaller: checkOptional(checkOptions<CallerTemplates>({ env: textByName, headers: textByName, url: text })),
  origin: checkOptional(checkObject({ file: checkString })),
  beforeStart: anyFunction,
};

const TARGETS = ['url', 'command', 'service'];

/**
 * Throws `options/invalid` for a server with an unknown or invalid setting, and for one without exactly one target. A
 * misspelled `disabled` or a text as `tools.exclude` would otherwise offer more than the program wants.
 */
export function requireServers(servers: HostOptions['servers']): void {
  for (const [name, server] of Object.entries(servers)) {
    requireOptions(`the server "${name}"`, server, { ...TARGET_CHECKS, ...SERVER_CHECKS }, 'options/invalid');
    const targets = TARGETS.filter(key => key in server);
    if (targets.length !== 1)
      throw new TenonError(
        'options/invalid',
        `the server "${name}" has ${targets.length === 0 ? 'no' : 'several'} targets`,
        {
          expected: 'one of `url`, `command` and `service`',
          received: targets.join(', ') || undefined,
        },
      );
    if (server.authExceptions) checkExceptions(server.authExceptions);
    const [issue] = findTemplateIssues(server.perCaller ?? {});
    if (!issue) continue;
    const { summary, expected, next: hint } = issue.fault;
    throw new TenonError('options/invalid', `the server "${name}": perCaller.${issue.key}: ${summary}`, {
      expected,
      hint,
    });
  }
}
