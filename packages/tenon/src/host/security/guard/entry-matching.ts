import { parseTemplate } from '../../../server/uri-template/template.js';
import type { ServerEntry } from '../../config/server-entry.js';
import { compileNames } from '../policy/matching/name-patterns.js';

/** Compiles the filter of a server's tools: true for a tool that the configuration lets through. */
export function compileToolFilter({
  include,
  exclude,
}: NonNullable<ServerEntry['tools']> = {}): (tool: string) => boolean {
  const isIncluded = include === undefined ? () => true : compileNames(include, true);
  const isExcluded = exclude === undefined ? () => false : compileNames(exclude, false);
  return tool => isIncluded(tool) && !isExcluded(tool);
}

/** True if a URI is a template, or one of those that it describes. */
export function matchesTemplate(uri: string, template: string): boolean {
  if (template === uri) return true;
  try {
    return parseTemplate(template).match(uri, { allowUnsafe: true }) !== undefined;
  } catch {
    return false;
  }
}
