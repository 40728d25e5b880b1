import { copyJson, findInexactInteger, isObject, type JsonObject, TenonError } from '@tenon/base';
import { type JsonTree, parseJsonTree, type TextPosition, toValue } from '../../config/json/parse-json.js';
import type { Action } from './action-request.js';
import { createRuleError } from './policy.js';
import { readQuotas, readRateLimits } from './quota-faults.js';
import type { Quota } from './quotas.js';
import { findRuleFault, MAX_RULES, type RuleFault } from './rule-faults.js';
import { parseServerName, type Rule } from './rules.js';

/** Maximum length of a policy file, in characters. */
const MAX_TEXT = 2 ** 20;
/** Maximum nesting depth of a policy. */
const MAX_DEPTH = 16;
/**
 * Maximum nesting depth of a text that is parsed. It is higher, so that the position of the excess depth can be
 * reported.
 */
const MAX_TEXT_DEPTH = 1000;
const ACTIONS: readonly string[] = ['allow', 'ask', 'deny'];

/** Content of a policy file. Create the policy with `createPolicy(file.rules, file)`. */
export interface PolicyFile {
  /** Rules, in the order in which they are evaluated. */
  readonly rules: readonly Rule[];
  /**
   * Action for a request that matches no rule.
   * @default `ask`
   */
  readonly fallback?: Action;
  /**
   * Limits on the number of calls: the `quotas` of the file, then its `rateLimits`.
   * @default none
   */
  readonly quotas?: readonly Quota[];
}

/**
 * Parses a policy:
 * `{ "fallback": "ask", "rules": [{ "deny": "notes/delete_*", "because": "…" }, { "action": "allow", "server": "notes", "readOnly": true }] }`.
 * Comments and trailing commas are allowed. `quotas` and `rateLimits` limit the number of calls:
 * `"quotas": [{ "per": ["principal"], "calls": 1000, "window": "1d" }]`,
 * `"rateLimits": [{ "per": ["principal", "tool"], "perSecond": 5, "burst": 20 }]`.
 *
 * @param file Name of the file in errors.
 * @throws TenonError `policy/syntax` for invalid JSON, `policy/rule` for an invalid rule. Both name the line.
 */
export function parsePolicy(source: string | JsonObject, file = 'policy'): PolicyFile {
  if (typeof source !== 'string') {
    const read = toPolicyFile(copyJson(source));
    if ('expected' in read) throw createRuleError(read, `${file}: `);
    return read;
  }
  const tree = readTree(source, file);
  const read = findUnreadableMember(tree) ?? toPolicyFile(toValue(tree));
  if ('expected' in read) throw createRuleError(read, `${file}:${formatPosition(findNearest(tree, read.at))} `);
  return read;
}

function toPolicyFile(value: unknown): PolicyFile | RuleFault {
  if (!isObject(value)) return { at: [], expected: 'an object with rules', got: value };
  const { rules, fallback, quotas: quotaList, rateLimits, ...others } = value;
  // Editors find the JSON Schema by this member.
  const other = Object.keys(others).find(name => name !== '$schema');
  if (other !== undefined) return { at: [other], expected: 'rules, fallback, quotas or rateLimits' };
  if (fallback !== undefined && !ACTIONS.includes(fallback as string))
    return { at: ['fallback'], expected: '"allow", "ask" or "deny"', got: fallback };
  if (!Array.isArray(rules)) return { at: ['rules'], expected: 'a list of rules', got: rules };
  if (rules.length > MAX_RULES) return { at: ['rules'], expected: `at most ${MAX_RULES} rules`, got: rules.length };
  const read: Rule[] = [];
  for (const [place, each] of rules.entries()) {
    const rule = expandRule(each);
    const fault = 'expected' in rule ? (rule as RuleFault) : findRuleFault(rule);
    if (fault) return { ...fault, at: ['rules', place, ...fault.at] };
    // Safe, because `findRuleFault` has found no error in it.
    read.push(rule as unknown as Rule);
  }
  const quotas = readLimits(quotaList, rateLimits);
  if ('expected' in quotas) return quotas;
  return {
    rules: read,
    ...(fallback === undefined ? {} : { fallback: fallback as Action }),
    ...(quotas.length === 0 ? {} : { quotas }),
  };
}

function readLimits(quotaList: unknown, rateLimits: unknown): readonly Quota[] | RuleFault {
  const quotas = readQuotas(quotaList);
  if ('expected' in quotas) return quotas;
  const rates = readRateLimits(rateLimits);
  return 'expected' in rates ? rates : [...quotas, ...rates];
}

/** Expands the short form `{ "deny": "server/name", … }` to an action, a server and a name. */
function expandRule(value: unknown): JsonObject | RuleFault {
  if (!isObject(value)) return { at: [], expected: 'an object', got: value };
  const short = ACTIONS.filter(action => Object.hasOwn(value, action));
  const [action] = short;
  if (action === undefined) return value;
  const { [action]: text, ...others } = value;
  const twice = [
    ...short.slice(1),
    ...['action', 'server', 'name', 'tool'].filter(name => Object.hasOwn(others, name)),
  ][0];
  if (twice !== undefined) return { at: [twice], expected: `no more than "${action}" beside it` };
  const named = typeof text === 'string' ? parseServerName(text) : undefined;
  return named ? { action, ...named, ...others } : { at: [action], expected: describeServerName(text), got: text };
}

/** A pattern without a server is most often meant for all servers. */
const describeServerName = (text: unknown): string =>
  typeof text === 'string' && text !== '' && !text.includes('/')
    ? `"server/name", or ${JSON.stringify(`*/${text.slice(0, 100)}`)} for any server`
    : '"server/name"';

function readTree(text: string, file: string): JsonTree {
  if (text.length > MAX_TEXT) throw createSyntaxError(file, `at most ${MAX_TEXT} characters`);
  const tree = parseJsonTree(text, { maxDepth: MAX_TEXT_DEPTH, lenient: true });
  if (!('fault' in tree)) return tree;
  throw createSyntaxError(`${file}:${formatPosition(tree)}`, 'JSON, optionally with comments', tree.fault);
}

/** Returns the children of an object or an array, each with its step. */
function listChildren(tree: JsonTree): [string | number, JsonTree][] {
  if (tree.kind === 'object') return tree.members.map(({ name, value }) => [name, value]);
  return tree.kind === 'array' ? tree.items.map((item, index) => [index, item]) : [];
}

/**
 * Finds a duplicate member, of which parsers use different values, and a number that would be compared as another one.
 */
function findUnreadableMember(tree: JsonTree, at: RuleFault['at'] = []): RuleFault | undefined {
  if (at.length > MAX_DEPTH) return { at, expected: 'less nesting' };
  if (tree.kind === 'scalar' && tree.text !== undefined && findInexactInteger(tree.text) !== undefined)
    return { at, expected: `an integer of at most ${Number.MAX_SAFE_INTEGER}, or a text`, got: tree.text };
  const seen = new Set<string | number>();
  for (const [step, value] of listChildren(tree)) {
    if (seen.has(step)) return { at: [...at, step], expected: 'each member once' };
    seen.add(step);
    const fault = findUnreadableMember(value, [...at, step]);
    if (fault) return fault;
  }
  return undefined;
}

/** Returns the nearest existing value. */
function findNearest(tree: JsonTree, at: RuleFault['at']): JsonTree {
  let nearest = tree;
  for (const step of at) {
    const next = listChildren(nearest).find(([each]) => each === step);
    if (!next) break;
    nearest = next[1];
  }
  return nearest;
}

const formatPosition = ({ line, column }: TextPosition): string => `${line}:${column}`;

function createSyntaxError(where: string, expected: string, received?: string): TenonError {
  return new TenonError('policy/syntax', `invalid policy ${where}`, { expected, received });
}
