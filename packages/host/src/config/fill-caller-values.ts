import { checkObject, requireArgument } from '@tenon/base';
import type { HttpTarget, StdioTarget } from 'tenon';
import type { OpenApiTarget } from '../host-options.js';
import { type CallerTemplates, type CallerValues, fillTemplates } from './caller-template.js';
import { type CommandTarget, checkServerEntry, type ServerEntry, type UrlTarget } from './server-entry.js';

/**
 * Returns the target of a server for one caller, with the values of the caller in its environment, headers and URL.
 *
 * @param values Values by name, as in `${caller:NAME}`. Default: none, and the defaults of the entry are used.
 * @throws TenonError `host/caller-value` for a value that is missing, or that a part cannot contain.
 */
export function fillCallerValues(
  entry: Pick<ServerEntry, 'name' | 'target' | 'perCaller'>,
  values: CallerValues = {},
): CommandTarget | UrlTarget {
  requireArgument('`entry` of fillCallerValues', entry, checkServerEntry);
  requireArgument('`values` of fillCallerValues', values, checkObject());
  return fillTarget(entry.name, entry.target, entry.perCaller, values);
}

/** Returns a target with the values of a caller in the parts that have templates. A target in this process has none. */
export function fillTarget<
  Target extends StdioTarget | HttpTarget | OpenApiTarget | CommandTarget | UrlTarget | { service: unknown },
>(server: string, target: Target, templates: CallerTemplates | undefined, values: CallerValues): Target {
  if (templates === undefined || 'service' in target) return target;
  const { env, headers, url } = fillTemplates(server, templates, values);
  if ('command' in target) return { ...target, env: { ...target.env, ...env } };
  const { headers: own } = target;
  const all = typeof own === 'function' ? async () => ({ ...(await own()), ...headers }) : { ...own, ...headers };
  return { ...target, url: url ?? target.url, headers: all };
}
