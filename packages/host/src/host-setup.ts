import { checkAnything, checkOptions, isObject, type OptionChecks, requireOptions, TenonError } from '@tenon/base';
import type { HttpTarget, StdioTarget } from 'tenon';
import { type CallerTemplates, findTemplateIssues } from './config/caller-template.js';
import type { ServerEntry, ToolOverride, ToolSettings } from './config/server-entry.js';
import { toServerEntry } from './connections/connector.js';
import {
  DEFAULT_HOST_OPTIONS,
  type HostOptions,
  type InProcessServer,
  type OpenApiTarget,
  type ServerSettings,
} from './host-options.js';

/** Converts the enabled servers to the form that the lock, the policy and the configuration use. */
export function toEntries(servers: HostOptions['servers']): Map<string, ServerEntry> {
  const enabled = Object.entries(servers).filter(([, { disabled }]) => !disabled);
  return new Map(enabled.map(([name, server]) => [name, toServerEntry(name, server)]));
}

/** Chooses the prefix. Counts disabled servers too, so that names do not depend on which servers are enabled. */
export function choosePrefix({ prefix = DEFAULT_HOST_OPTIONS.prefix, servers }: HostOptions): 'always' | 'never' {
  if (prefix !== 'auto') return prefix;
  return Object.keys(servers).length > 1 ? 'always' : 'never';
}

const TARGET_CHECKS: OptionChecks<
  Omit<HttpTarget, keyof OpenApiTarget> & OpenApiTarget & StdioTarget & InProcessServer
> = {
  url: checkAnything,
  auth: checkAnything,
  headers: checkAnything,
  transport: checkAnything,
  apiUrl: checkAnything,
  openapi: checkAnything,
  fetch: checkAnything,
  onUnauthorized: checkAnything,
  resume: checkAnything,
  listen: checkAnything,
  maxMessageSize: checkAnything,
  command: checkAnything,
  args: checkAnything,
  env: checkAnything,
  cwd: checkAnything,
  stderr: checkAnything,
  container: checkAnything,
  maxLineBytes: checkAnything,
  maxJsonDepth: checkAnything,
  service: checkAnything,
};

const checkOverride = checkOptions<ToolOverride>({
  name: checkAnything,
  title: checkAnything,
  description: checkAnything,
  defaults: checkAnything,
  hide: checkAnything,
});

const checkTools = checkOptions<ToolSettings>({
  include: checkAnything,
  exclude: checkAnything,
  overrides: value =>
    isObject(value)
      ? Object.values(value)
          .map(checkOverride)
          .find(issue => issue !== undefined)
      : undefined,
});

const checkTemplates = checkOptions<CallerTemplates>({
  env: checkAnything,
  headers: checkAnything,
  url: checkAnything,
});

const SERVER_CHECKS: OptionChecks<ServerSettings> = {
  disabled: checkAnything,
  startTimeout: checkAnything,
  idleTimeout: checkAnything,
  totalTimeout: checkAnything,
  trusted: checkAnything,
  authExceptions: checkAnything,
  serviceAccount: checkAnything,
  tools: value => (value === undefined ? undefined : checkTools(value)),
  roots: checkAnything,
  share: checkAnything,
  strict: checkAnything,
  assumeCapabilities: checkAnything,
  protocolVersion: checkAnything,
  perCaller: value => (value === undefined ? undefined : checkTemplates(value)),
  origin: checkAnything,
  beforeStart: checkAnything,
};

/**
 * Throws `options/invalid` for a server with an unknown setting. A misspelled `disabled` or `tools.exclude` would
 * otherwise offer more than the program wants.
 */
export function requireKnownSettings(servers: HostOptions['servers']): void {
  for (const [name, server] of Object.entries(servers)) {
    requireOptions(`the server "${name}"`, server, { ...TARGET_CHECKS, ...SERVER_CHECKS }, 'options/invalid');
    const [issue] = findTemplateIssues(server.perCaller ?? {});
    if (!issue) continue;
    const { summary, expected, next: hint } = issue.fault;
    throw new TenonError('options/invalid', `the server "${name}": perCaller.${issue.key}: ${summary}`, {
      expected,
      hint,
    });
  }
}
