import { TenonError } from '../../../jsonrpc/error.js';
import type { Action } from './action-request.js';
import type { ArgumentPattern } from './matching/argument-pattern.js';

/**
 * A glob, or several of which one must match. `*` is any number of characters, slashes too, and `?` is one. Rules that
 * deny or require approval ignore the case of letters. `{ exact }` lists case-sensitive texts without wildcards.
 */
export type Globs = string | readonly string[] | { readonly exact: string | readonly string[] };

/** Conditions of a rule. All that is given has to fit; what is not given fits anything. */
export interface Match {
  /** The name of the server in the host. */
  readonly server?: Globs | undefined;
  /** The name of the tool, prompt or added method, or the URI of the resource: the rule is about all four. */
  readonly name?: Globs | undefined;
  /** The rule is about tools only, about those of this name. */
  readonly tool?: Globs | undefined;
  /** The rule is about resources only, by their URIs. */
  readonly resource?:
    | Globs
    | { readonly under: string | readonly string[] }
    | { readonly host: string | readonly string[] }
    | undefined;
  /** The rule is about prompts only. */
  readonly prompt?: Globs | undefined;
  /** The rule is about methods only that a server adds to the protocol's, about those of this name. */
  readonly method?: Globs | undefined;
  /** Effects of tools. Only trusted servers are believed; of others these are `false`, `true`, `false` and `true`. */
  readonly readOnly?: boolean | undefined;
  /** Matches by the tool's `destructiveHint`. */
  readonly destructive?: boolean | undefined;
  /** Matches by the tool's `idempotentHint`. */
  readonly idempotent?: boolean | undefined;
  /** Matches by the tool's `openWorldHint`. */
  readonly openWorld?: boolean | undefined;
  /**
   * By JSON Pointer (`/options/path`) or dotted path (`options.path`). One that is absent does not fit. In a step `*`
   * and `?` are wildcards; a last step `*` is every value below, however deep, and `**` is any number of steps.
   */
  readonly arguments?: { readonly [path: string]: ArgumentPattern } | undefined;
  /** The paths of all arguments that the call may have: with any other, the rule does not fit. `[]`: it has none. */
  readonly only?: readonly string[] | undefined;
  /** Principals of the request. `null`: anonymous. A glob never matches an anonymous caller. */
  readonly principal?: Globs | null | undefined;
}

/**
 * A rule, as plain data in the form of a policy file. To allow, a rule must match in every interpretation that a server
 * could use, for all elements of an array. To deny or to require approval, one interpretation and one element are
 * enough.
 */
export interface Rule extends Match {
  /** Decision for requests that match. */
  readonly action: Action;
  /** Shown to the caller that is denied and to the person who is asked. */
  readonly because?: string | undefined;
}

/** Terms of a rule builder: a `Match` and a reason. */
export type RuleTerms = Match & Pick<Rule, 'because'>;

/**
 * Creates a rule that allows matching actions. `allow('notes/*')` matches everything that the server offers,
 * `allow('notes/list_*')` tools, prompts and resources by name, `allow({ server: 'notes', tool: 'list_*' })` tools
 * only.
 */
export function allow(match?: string | RuleTerms, more?: RuleTerms): Rule {
  return createRule('allow', match, more);
}

/** Creates a rule by which a person decides about matching actions. */
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

/** Reads `server/name`: the server stands before the first slash, and `server/*` is all that the server offers. */
export function parseServerName(text: string): Pick<Match, 'server' | 'name'> | undefined {
  const slash = text.indexOf('/');
  if (slash < 1 || slash === text.length - 1) return undefined;
  const [server, name] = [text.slice(0, slash), text.slice(slash + 1)];
  return /^\*+$/.test(name) ? { server } : { server, name };
}
