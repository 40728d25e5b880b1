import { isObject } from '@tenon/base';
import type { ActionRequest } from '@tenon/host';
import type { Command } from 'commander';
import { parseNames } from '../options/option-parsers.js';
import { createUsageError } from '../usage-error.js';

/** Options that describe the calling user of a decision that is only shown. */
export interface PolicyUserOptions {
  readonly principal?: string;
  readonly groups?: readonly string[];
  readonly scopes?: readonly string[];
  readonly claims?: string;
}

/**
 * Adds the options of the calling user.
 *
 * @param use Option with which they are used: `with --dry-run: `.
 */
export function withPolicyUser(command: Command, use = ''): Command {
  return command
    .option('--principal <name>', `${use}calling user (default: anonymous)`)
    .option('--groups <names>', 'with --principal: groups of the user', parseNames)
    .option('--scopes <names>', 'with --principal: scopes of the token', parseNames)
    .option('--claims <json>', 'with --principal: claims of the token');
}

/** Returns the members of an action request that describe the user. */
export function parsePolicyUser({
  principal,
  groups,
  scopes,
  claims,
}: PolicyUserOptions): Pick<ActionRequest, 'principal' | 'claims' | 'scopes'> {
  if (principal === undefined && (groups ?? scopes ?? claims) !== undefined)
    throw createUsageError('--groups, --scopes and --claims need a user', 'pass --principal NAME');
  const parsedClaims = claims === undefined ? {} : parseJsonObject(claims, '--claims');
  return { principal, claims: { ...parsedClaims, ...(groups ? { groups } : {}) }, ...(scopes ? { scopes } : {}) };
}

/** Parses an argument or option that is a JSON object. */
export function parseJsonObject(text: string, what: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The result below contains the error.
  }
  if (isObject(value)) return value;
  throw createUsageError(`${what} are not a JSON object`, `write a JSON object such as '{"title":"a"}'`);
}
