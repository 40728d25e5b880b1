import { parseTemplate } from 'tenon/host-internals';
import type { ServerEntry } from '../../config/server-entry.js';
import { compileNames } from '../policy/matching/name-patterns.js';

/** Compiles the tool filter of a server. The result returns true for a tool that the configuration allows. */
export function compileToolFilter({
  include,
  exclude,
}: NonNullable<ServerEntry['tools']> = {}): (tool: string) => boolean {
  const isIncluded = include === undefined ? () => true : compileNames(include, true);
  const isExcluded = exclude === undefined ? () => false : compileNames(exclude, false);
  return tool => isIncluded(tool) && !isExcluded(tool);
}

/** Tells if a URI equals a template, or matches it. */
export function matchesTemplate(uri: string, template: string): boolean {
  if (template === uri) return true;
  try {
    return parseTemplate(template).match(uri, { allowUnsafe: true }) !== undefined;
  } catch {
    return false;
  }
}
