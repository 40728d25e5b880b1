import type { PolicyFindingKind } from './lint-policy.js';
import type { Globs } from './matching/glob.js';
import { listPatterns } from './matching/name-patterns.js';
import type { Match, Rule } from './rules.js';

/** Finding about one rule. The message is a clause that follows the name of the rule. */
export interface RuleFinding {
  readonly kind: PolicyFindingKind;
  readonly message: string;
}

/** Beginning of a path: `/etc`, `~/a`, `../a`, `C:\\a`, `file:///etc`. */
const PATH = /^(?:[/~]|\.{1,2}[\\/]|[a-z]:[\\/]|file:)/i;
const ALL = /^\*+$/;
const OTHERS = { tool: 'prompts and resources', prompt: 'tools and resources', resource: 'tools and prompts' } as const;

/** Finds forms in which a rule allows more than intended. */
export function findRisks(rule: Rule): RuleFinding[] {
  return rule.action === 'allow' ? [...findAllowAll(rule), ...findUnnamed(rule)] : findEscapablePatterns(rule);
}

/** Finds a rule without a condition on tools, which has the effect of the fallback "allow". */
function findAllowAll({ action: _, because: __, server, name, tool, ...others }: Rule): RuleFinding[] {
  const names = [server, name, tool].filter(each => each !== undefined);
  if (Object.values(others).some(each => each !== undefined) || !names.every(isAll)) return [];
  const message = 'matches every tool: each call that no earlier rule decides is executed. Name servers or tools';
  return [{ kind: 'allow-all', message }];
}

function findUnnamed(rule: Rule): RuleFinding[] {
  const paths = Object.keys(rule.arguments ?? {});
  // A path that consists of wildcards covers every argument.
  if (rule.only !== undefined || paths.length === 0 || paths.some(path => /^\/?\*+$/.test(path))) return [];
  const names = JSON.stringify(paths);
  const message = `checks ${paths.join(', ')} and accepts any other argument. Add "only": ${names} if these are all arguments`;
  return [{ kind: 'unnamed-arguments', message }];
}

function findEscapablePatterns(rule: Rule): RuleFinding[] {
  return [...findOneKind(rule), ...findOnly(rule), ...findPathTexts(rule), ...findAnonymous(rule)];
}

function findOneKind(rule: Rule): RuleFinding[] {
  const kind = (['tool', 'prompt', 'resource'] as const).find(each => isAll(rule[each]));
  if (kind === undefined || rule.arguments !== undefined) return [];
  const server = rule.server === undefined ? '' : ` of ${listPatterns(rule.server).patterns.join(', ')}`;
  const message = `matches ${kind}s only, and not the ${OTHERS[kind]}${server}. Remove "${kind}" to match all of them`;
  return [{ kind: 'one-kind', message }];
}

function isAll(globs: Match['resource']): boolean {
  if (globs === undefined || (typeof globs === 'object' && ('under' in globs || 'host' in globs))) return false;
  const { patterns, exact } = listPatterns(globs as Globs);
  return !exact && patterns.some(pattern => ALL.test(pattern));
}

function findOnly({ only }: Rule): RuleFinding[] {
  if (only === undefined) return [];
  const message = 'does not match a call with another argument. Use "only" in allow rules alone';
  return [{ kind: 'escapable-only', message }];
}

function findPathTexts(rule: Rule): RuleFinding[] {
  const inArguments = Object.entries(rule.arguments ?? {}).flatMap(([path, pattern]) =>
    listTexts(pattern).map(text => ({ place: `the argument ${path}`, text })),
  );
  const uris = [...listTexts(rule.resource), ...listTexts(rule.name)].map(text => ({ place: 'the resource', text }));
  const paths = [...inArguments, ...uris.filter(({ text }) => /^file:/i.test(text))].filter(({ text }) =>
    PATH.test(text),
  );
  const fragments = uris.filter(({ text }) => text.includes('#'));
  return [
    ...paths.map(({ place, text }): RuleFinding => {
      const next = `Write { "under": … } for a folder`;
      return {
        kind: 'path-as-text',
        message: `compares ${place} with the text "${text}", which relative paths and links bypass. ${next}`,
      };
    }),
    ...fragments.map(({ text }): RuleFinding => {
      const message = `matches "${text}" with this fragment only, but servers that drop fragments return the same without it`;
      return { kind: 'fragment', message };
    }),
  ];
}

/** Returns all texts in a pattern. */
function listTexts(pattern: unknown): string[] {
  if (typeof pattern === 'string') return [pattern];
  if (Array.isArray(pattern)) return pattern.flatMap(listTexts);
  if (typeof pattern !== 'object' || pattern === null) return [];
  const { in: listed, exact } = pattern as { in?: unknown; exact?: unknown };
  return [...listTexts(listed), ...listTexts(exact)];
}

function findAnonymous({ principal, user }: Rule): RuleFinding[] {
  if (user !== undefined && Object.keys(user).length === 0) {
    const message = 'matches every signed-in caller, but no anonymous caller. Remove "user" to match all callers';
    return [{ kind: 'anonymous', message }];
  }
  if (principal === undefined || principal === null || !isAll(principal)) return [];
  const message = 'matches every known principal, but no anonymous caller. Remove "principal" to match all callers';
  return [{ kind: 'anonymous', message }];
}
