import { TenonError } from '@tenon/base';
import type { Action } from './action-request.js';
import type { ArgumentPattern } from './matching/argument-pattern.js';
import type { Globs } from './matching/glob.js';

/** Conditions of a rule. All given conditions must match. Omitted conditions always match. */
export interface Match {
  /**
   * Name of the server in the host.
   * @default any
   */
  readonly server?: Globs | undefined;
  /**
   * Name of the tool, prompt or custom method, or URI of the resource. The rule applies to all four kinds.
   * @default any
   */
  readonly name?: Globs | undefined;
  /**
   * Name of the tool. The rule then applies to tools only.
   * @default no restriction
   */
  readonly tool?: Globs | undefined;
  /**
   * URI of the resource. The rule then applies to resources only.
   * @default no restriction
   */
  readonly resource?:
    | Globs
    | { readonly under: string | readonly string[] }
    | { readonly host: string | readonly string[] }
    | undefined;
  /**
   * Name of the prompt. The rule then applies to prompts only.
   * @default no restriction
   */
  readonly prompt?: Globs | undefined;
  /**
   * Name of a custom method. The rule then applies to custom methods only.
   * @default no restriction
   */
  readonly method?: Globs | undefined;
  /**
   * Matches the tool's `readOnlyHint`. Hints of servers that are not trusted have the defaults of the specification:
   * `readOnly: false`, `destructive: true`, `idempotent: false`, `openWorld: true`.
   * @default no restriction
   */
  readonly readOnly?: boolean | undefined;
  /**
   * Matches the tool's `destructiveHint`. See `readOnly` for servers that are not trusted.
   * @default no restriction
   */
  readonly destructive?: boolean | undefined;
  /**
   * Matches the tool's `idempotentHint`. See `readOnly` for servers that are not trusted.
   * @default no restriction
   */
  readonly idempotent?: boolean | undefined;
  /**
   * Matches the tool's `openWorldHint`. See `readOnly` for servers that are not trusted.
   * @default no restriction
   */
  readonly openWorld?: boolean | undefined;
  /**
   * Patterns of arguments, by JSON Pointer (`/options/path`) or dotted path (`options.path`). An absent argument does
   * not match.
   *
   * In a step, `*` and `?` are wildcards. `*` as the last step matches all values below, at any depth. `**` matches any
   * number of steps.
   */
  readonly arguments?: { readonly [path: string]: ArgumentPattern } | undefined;
  /**
   * Paths of all allowed arguments. The rule does not match a call with any other argument. `[]` matches calls
   * without arguments.
   * @default any arguments
   */
  readonly only?: readonly string[] | undefined;
  /**
   * Principal of the request. `null` matches anonymous callers. A glob never matches an anonymous caller.
   * @default any
   */
  readonly principal?: Globs | null | undefined;
  /**
   * Conditions about the access token of the caller. Anonymous callers never match. `{}` matches every other caller.
   * @default any
   */
  readonly user?: UserMatch | undefined;
}

/** Conditions about the access token of a caller. All given conditions must match. */
export interface UserMatch {
  /**
   * Groups, one of which must be in the claim `groups`.
   * @default any
   */
  readonly groups?: Globs | undefined;
  /**
   * Scopes, all of which the token must have. They are compared case-sensitively and without wildcards.
   * @default any
   */
  readonly scopes?: string | readonly string[] | undefined;
  /**
   * Patterns of claims, by name or dotted path such as `realm_access.roles`. A claim with several values matches with
   * one of them.
   * @default any
   */
  readonly claims?: { readonly [name: string]: ArgumentPattern } | undefined;
}

/**
 * Rule as plain data, in the form of a policy file. An `allow` rule must match in every interpretation that a server
 * could use, and for all elements of an array. For a `deny` or `ask` rule, one interpretation and one element are
 * enough.
 */
export interface Rule extends Match {
  /** Action for matching requests. */
  readonly action: Action;
  /**
   * Reason, shown to the denied caller and to the person who is asked for approval.
   * @default none
   */
  readonly because?: string | undefined;
}

/** Argument of `allow`, `ask` and `deny`: conditions and a reason. */
export type RuleTerms = Match & Pick<Rule, 'because'>;

/**
 * Creates a rule that allows matching actions.
 *
 * `allow('notes/*')` matches everything of the server. `allow('notes/list_*')` matches tools, prompts and resources by
 * name. `allow({ server: 'notes', tool: 'list_*' })` matches tools only.
 */
export function allow(match?: string | RuleTerms, more?: RuleTerms): Rule {
  return createRule('allow', match, more);
}

/** Creates a rule that requires approval for matching actions. */
export function ask(match?: string | RuleTerms, more?: RuleTerms): Rule {
  return createRule('ask', match, more);
}

/** Creates a rule that denies matching actions. */
export function deny(match?: string | RuleTerms, more?: RuleTerms): Rule {
  return createRule('deny', match, more);
}

function createRule(action: Action, match: string | RuleTerms = {}, more: RuleTerms = {}): Rule {
  if (typeof match !== 'string') return { action, ...match, ...more };
  const named = parseServerName(match);
  if (named) return { action, ...named, ...more };
  const hint = `write \`*/${match}\` for any server, or use ${action}({ tool: … })`;
  throw new TenonError('policy/rule', 'the match of a rule has no server', {
    expected: '`server/name`',
    received: match.slice(0, 100),
    hint,
  });
}

/** Parses `server/name`. The server is the part before the first slash. `server/*` is everything of the server. */
export function parseServerName(text: string): Pick<Match, 'server' | 'name'> | undefined {
  const slash = text.indexOf('/');
  if (slash < 1 || slash === text.length - 1) return undefined;
  const [server, name] = [text.slice(0, slash), text.slice(slash + 1)];
  return /^\*+$/.test(name) ? { server } : { server, name };
}
