import type { Action, ActionRequest, RequestTest } from './action-request.js';
import { compileMatch } from './matching/compiled-rule.js';
import type { Rule } from './rules.js';

/** Tells if a policy denies every use of an entry, whatever the arguments are. */
export type DenialCheck = (request: ActionRequest, isTemplate: boolean) => boolean;

interface EntryRule {
  readonly action: Action;
  /** True if the rule applies to some uses of a matching entry only. */
  readonly isConditional: boolean;
  readonly findMismatch: RequestTest;
}

/** Tells if a policy denies any use of any entry. */
export const canDeny = (rules: readonly Rule[], fallback: Action): boolean =>
  fallback === 'deny' || rules.some(({ action }) => action === 'deny');

/** Creates the check for entries of lists. A template stands for unknown URIs. */
export function createDenialCheck(rules: readonly Rule[], fallback: Action): DenialCheck {
  if (!canDeny(rules, fallback)) return () => false;
  const entryRules = rules.map(rule => compileEntryRule(rule, false));
  const templateRules = rules.map(rule => compileEntryRule(rule, true));
  return (request, isTemplate) => {
    for (const { action, isConditional, findMismatch } of isTemplate ? templateRules : entryRules) {
      if (findMismatch(request) !== undefined) continue;
      if (action !== 'deny') return false;
      if (!isConditional) return true;
    }
    return fallback === 'deny';
  };
}

function compileEntryRule(rule: Rule, isTemplate: boolean): EntryRule {
  const { action, because: _, arguments: args, only, ...entry } = rule;
  const { name, resource, ...rest } = entry;
  const hasUri = name !== undefined || resource !== undefined;
  const match = isTemplate ? { ...rest, ...(resource === undefined ? {} : { resource: '*' }) } : entry;
  return {
    action,
    isConditional: args !== undefined || only !== undefined || (isTemplate && hasUri),
    findMismatch: compileMatch(match, action === 'allow'),
  };
}
