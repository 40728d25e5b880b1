import { resolve } from 'node:path';
import type { ConfiguredEntry } from '@tenon/host';
import { type HttpTarget, type RequestHandler, type StdioTarget, TenonError } from 'tenon';
import type { AuthExceptions } from 'tenon/auth';
import type { CliContext } from '../cli-context.js';
import { findHttpOption } from '../http/http-options.js';
import { createUsageError, readVariable } from '../usage-error.js';
import type { ConnectionOptions } from './target-options.js';
import type { TargetReference } from './target-reference.js';
import { createTemplate } from './target-template.js';

/** Server to connect to. */
export interface ResolvedTarget {
  readonly target: HttpTarget | StdioTarget | RequestHandler;
  /** Display name of the server. */
  readonly label: string;
  /**
   * The target with its variables as `${NAME}`, before they got their values. Only for a server of a configuration or
   * a registry that needs no files of this machine.
   */
  readonly template?: ConfiguredEntry['target'] | undefined;
  /** Exceptions of the authorization in the user's configuration. */
  readonly exceptions?: AuthExceptions | undefined;
  /** Handling of deviations in the configuration. */
  readonly settings?: ProtocolSettings | undefined;
  /** Timeouts in the configuration. */
  readonly timeouts?: EntryTimeouts | undefined;
}

/** Timeouts of a server of a configuration. */
export type EntryTimeouts = Pick<ConfiguredEntry, 'startTimeout' | 'idleTimeout' | 'totalTimeout'>;

/** Settings of a server for its deviations from the protocol. */
export type ProtocolSettings = Pick<ConfiguredEntry, 'strict' | 'assumeCapabilities' | 'protocolVersion'>;

/** Returns the settings of a target. Those of the command replace those of the configuration. */
export function getProtocolSettings(
  { settings = {} }: Pick<ResolvedTarget, 'settings'>,
  { assume, protocolVersion: chosen }: ConnectionOptions & { readonly protocolVersion?: string | undefined },
): ProtocolSettings {
  const { strict, assumeCapabilities } = settings;
  const protocolVersion = chosen ?? settings.protocolVersion;
  return {
    strict,
    assumeCapabilities: assume ?? assumeCapabilities,
    ...(protocolVersion === undefined ? {} : { protocolVersion }),
  };
}

/** Server at a URL, or of a command. */
export interface ResolvedServer extends ResolvedTarget {
  readonly target: HttpTarget | StdioTarget;
}

/** Formats the display name of a server that is named by its command line. */
export const formatCommandLabel = ({ command, args = [] }: Pick<StdioTarget, 'command' | 'args'>): string =>
  [command, ...args].join(' ');

/** Resolves a target to a URL or a command. Asks for approval of commands from the configuration of a project. */
export async function resolveTarget(
  context: CliContext,
  reference: TargetReference,
  options: ConnectionOptions,
): Promise<ResolvedTarget> {
  switch (reference.kind) {
    case 'url':
      return { target: await createHttpTarget(context, { url: reference.url }, options), label: reference.url };
    case 'command': {
      const { command, args } = reference;
      return { target: createStdioTarget(context, { command, args }, options), label: formatCommandLabel(reference) };
    }
    case 'file': {
      const { createFileTarget } = await import('./server-command.js');
      const target = createStdioTarget(context, createFileTarget(reference, context.env), options);
      return { target, label: reference.path };
    }
    case 'bundle': {
      const { openBundle } = await import('../mcpb/open-bundle.js');
      const { target } = await openBundle(context, reference.path, options);
      // With --trust, they were reported in place of the question.
      if (!options.trust) {
        const { reportDangers } = await import('./review-target.js');
        reportDangers(context, { target });
      }
      if ('url' in target) throw createUsageError(`${reference.path}: no command`, 'pass another bundle');
      return { target: createStdioTarget(context, target, options), label: reference.path };
    }
    case 'registry': {
      const { openRegistryServer } = await import('../registry/open-registry-server.js');
      const { target, template } = await openRegistryServer(context, reference, options);
      return { target: await createConfiguredTarget(context, target, options), label: reference.name, template };
    }
    case 'recording': {
      const { openRecordedTarget } = await import('../recording/recorded-target.js');
      return { target: await openRecordedTarget(reference.path), label: reference.path };
    }
    case 'name':
      return resolveName(context, reference.name, options);
  }
}

/** Resolves the target of a command that needs a server with a connection. Throws for a recording. */
export async function resolveServer(
  context: CliContext,
  reference: TargetReference,
  options: ConnectionOptions,
): Promise<ResolvedServer> {
  const { target, label } = await resolveTarget(context, reference, options);
  if ('url' in target || 'command' in target) return { target, label };
  if (reference.kind === 'name')
    throw createUsageError(`${label}: an OpenAPI document has no connection`, 'pass a URL, or another name');
  throw createUsageError(`${label}: a recording cannot be connected to`, 'pass a URL, a name or a command');
}

async function resolveName(context: CliContext, name: string, options: ConnectionOptions): Promise<ResolvedTarget> {
  const { findConfiguredServer } = await import('../host/find-configured-server.js');
  const { fillCallerValues } = await import('@tenon/host');
  const entry = await findConfiguredServer(context, name, options);
  // The user of the command is no caller of a gateway, so the defaults of the entry are used.
  const filled = fillCallerValues(entry);
  const configured = await createConfiguredTarget(context, filled, options, entry.authExceptions);
  const target = await withServiceAccount(configured, entry, options);
  const { strict, assumeCapabilities, protocolVersion, authExceptions: exceptions } = entry;
  const settings = { strict, assumeCapabilities, protocolVersion };
  const { startTimeout, idleTimeout, totalTimeout } = entry;
  const timeouts = { startTimeout, idleTimeout, totalTimeout };
  return {
    label: name,
    target,
    template: createTemplate({ ...entry, target: filled }),
    exceptions,
    settings,
    timeouts,
  };
}

/** Adds the credentials of the service account of an entry, unless the options give others. */
async function withServiceAccount(
  target: ResolvedTarget['target'],
  { serviceAccount, authExceptions }: ConfiguredEntry,
  { bearerEnv, tokenFile, auth }: ConnectionOptions,
): Promise<ResolvedTarget['target']> {
  if (!('url' in target) || serviceAccount === undefined) return target;
  if (bearerEnv !== undefined || tokenFile !== undefined || auth !== undefined) return target;
  const { clientId: id, clientSecret: secret, privateKey: key, issuer, scopes } = serviceAccount;
  const { clientCredentials } = await import('tenon/auth');
  const exceptions = authExceptions ? { [String(target.url)]: authExceptions } : {};
  return { ...target, auth: clientCredentials({ id, secret, key, issuer, scopes, exceptions }) };
}

const createConfiguredTarget = async (
  context: CliContext,
  target: ConfiguredEntry['target'],
  options: ConnectionOptions,
  exceptions?: AuthExceptions,
): Promise<ResolvedTarget['target']> => {
  if (!('url' in target)) return createStdioTarget(context, target, options);
  const { transport, apiUrl, openapi, ...rest } = target;
  if (transport !== 'openapi')
    return createHttpTarget(context, { ...rest, ...(transport && { transport }) }, options, exceptions);
  const { openApiServer } = await import('@tenon/host');
  return openApiServer({ ...rest, transport, apiUrl, openapi }, ({ message }) =>
    context.screen.note(message, 'warning'),
  );
};

async function createHttpTarget(
  context: CliContext,
  target: HttpTarget,
  options: ConnectionOptions,
  configuredExceptions: AuthExceptions = {},
): Promise<HttpTarget> {
  const { readHttpAccess } = await import('../http/http-access.js');
  const { transport } = options;
  const exceptions = { [String(target.url)]: { ...configuredExceptions, ...options.authException } };
  const configured = typeof target.headers === 'object' ? target.headers : {};
  const { headers, auth } = await readHttpAccess(context, options, configured, exceptions);
  return {
    ...target,
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...(auth === undefined ? {} : { auth }),
    ...(transport === undefined ? {} : { transport }),
  };
}

function createStdioTarget(context: CliContext, target: StdioTarget, options: ConnectionOptions): StdioTarget {
  const { pass = [], env = {}, cwd } = options;
  const httpOption = findHttpOption(options);
  if (httpOption !== undefined)
    throw createUsageError(`${httpOption} is for servers at a URL`, 'pass --env or --pass to a command');
  const passed = Object.fromEntries(pass.map(name => [name, readVariable(context.env, name, '--pass')]));
  const folder = cwd === undefined ? (target.cwd ?? context.cwd) : resolve(context.cwd, cwd);
  return { ...target, env: { ...target.env, ...passed, ...env }, cwd: folder };
}

/** Creates the error for a server that is not approved. */
export function createNotApprovedError(name: string): TenonError {
  return new TenonError('config/not-approved', `the server "${name}" is not approved`, {
    hint: 'run this in a terminal to approve it, or pass --trust',
  });
}
