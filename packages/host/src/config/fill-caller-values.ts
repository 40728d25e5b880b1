import { type CallerValues, fillTemplates } from './caller-template.js';
import type { CommandTarget, ServerEntry, UrlTarget } from './server-entry.js';

/**
 * Returns the target of a server for one caller, with the values of the caller in its environment, headers and URL.
 *
 * @param values Values by name, as in `${caller:NAME}`. Default: none, and the defaults of the entry are used.
 * @throws TenonError `host/caller-value` for a value that is missing, or that a part cannot contain.
 */
export function fillCallerValues(
  { name, target, perCaller }: Pick<ServerEntry, 'name' | 'target' | 'perCaller'>,
  values: CallerValues = {},
): CommandTarget | UrlTarget {
  if (perCaller === undefined) return target;
  const { env, headers, url } = fillTemplates(name, perCaller, values);
  if ('command' in target) return { ...target, env: { ...target.env, ...env } };
  return { ...target, url: url ?? target.url, headers: { ...target.headers, ...headers } };
}
