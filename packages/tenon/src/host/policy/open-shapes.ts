import type { PolicyProblem } from './lint.js';
import type { Globs, Match, Rule } from './rules.js';
import { listPatterns } from './texts.js';

/** A finding of one rule, in words that follow its name. */
export interface Shape {
  readonly problem: PolicyProblem;
  readonly message: string;
}

/** A text that begins as a path does: `/etc`, `~/a`, `../a`, `C:\\a`, `file:///etc`. */
const PATH = /^(?:[/~]|\.{1,2}[\\/]|[a-z]:[\\/]|file:)/i;
const ALL = /^\*+$/;
const OTHERS = { tool: 'prompts and resources', prompt: 'tools and resources', resource: 'tools and prompts' } as const;

/** Finds the shapes in which a rule lets pass more than it seems to. */
export function findOpenShapes(rule: Rule): Shape[] {
  return rule.action === 'allow' ? findUnnamed(rule) : findEscapes(rule);
}

function findUnnamed(rule: Rule): Shape[] {
  const paths = Object.keys(rule.arguments ?? {});
  // A path of wildcards alone is about every argument there is.
  if (rule.only !== undefined || paths.length === 0 || paths.some(path => /^\/?\*+$/.test(path))) return [];
  const names = JSON.stringify(paths);
  const message = `checks ${paths.join(', ')} and lets any other argument pass. Add "only": ${names} if it names them all`;
  return [{ problem: 'unnamed-arguments', message }];
}

function findEscapes(rule: Rule): Shape[] {
  return [...findOneKind(rule), ...findOnly(rule), ...findTexts(rule), ...findAnonymous(rule)];
}

function findOneKind(rule: Rule): Shape[] {
  const kind = (['tool', 'prompt', 'resource'] as const).find(each => isAll(rule[each]));
  if (kind === undefined || rule.arguments !== undefined) return [];
  const server = rule.server === undefined ? '' : ` of ${listPatterns(rule.server).patterns.join(', ')}`;
  const message = `is about ${kind}s only: ${OTHERS[kind]}${server} pass. Leave "${kind}" out to have all of them`;
  return [{ problem: 'one-kind', message }];
}

function isAll(globs: Match['resource']): boolean {
  if (globs === undefined || (typeof globs === 'object' && ('under' in globs || 'host' in globs))) return false;
  const { patterns, exact } = listPatterns(globs as Globs);
  return !exact && patterns.some(pattern => ALL.test(pattern));
}

function findOnly({ only }: Rule): Shape[] {
  if (only === undefined) return [];
  const message = 'does not fit once a call has another argument. Leave "only" to rules that allow';
  return [{ problem: 'escapable-only', message }];
}

function findTexts(rule: Rule): Shape[] {
  const inArguments = Object.entries(rule.arguments ?? {}).flatMap(([path, pattern]) =>
    textsOf(pattern).map(text => ({ place: `the argument ${path}`, text })),
  );
  const uris = [...textsOf(rule.resource), ...textsOf(rule.name)].map(text => ({ place: 'the resource', text }));
  const paths = [...inArguments, ...uris.filter(({ text }) => /^file:/i.test(text))].filter(({ text }) =>
    PATH.test(text),
  );
  const fragments = uris.filter(({ text }) => text.includes('#'));
  return [
    ...paths.map(({ place, text }): Shape => {
      const next = `Write { "under": … } for a folder`;
      return {
        problem: 'path-as-text',
        message: `compares ${place} with the text "${text}", which relative paths and links pass. ${next}`,
      };
    }),
    ...fragments.map(({ text }): Shape => {
      const message = `fits "${text}" with this fragment only, and servers that drop fragments give the same without it`;
      return { problem: 'fragment', message };
    }),
  ];
}

/** The texts of a pattern, wherever it has them. */
function textsOf(pattern: unknown): string[] {
  if (typeof pattern === 'string') return [pattern];
  if (Array.isArray(pattern)) return pattern.flatMap(textsOf);
  if (typeof pattern !== 'object' || pattern === null) return [];
  const { in: listed, exact } = pattern as { in?: unknown; exact?: unknown };
  return [...textsOf(listed), ...textsOf(exact)];
}

function findAnonymous({ principal }: Rule): Shape[] {
  if (principal === undefined || principal === null || !isAll(principal)) return [];
  const message =
    'fits every known principal, and no caller that is not known. Leave "principal" out to have all callers';
  return [{ problem: 'anonymous', message }];
}
