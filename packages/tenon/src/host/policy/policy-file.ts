import { evaluate, type ValueNode } from '@humanwhocodes/momoa';
import { copyOf } from '../../conversation/asking/json-value.js';
import { TenonError } from '../../jsonrpc/error.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import { nameOf, offsetOf, treeOf } from '../json/tree.js';
import { ruleError } from './policy.js';
import type { Action } from './proposal.js';
import { type Fault, MAX_RULES, ruleFault } from './rule-faults.js';
import { namedBy, type Rule } from './rules.js';

/** How long the text of a policy may be, in characters. */
const MAX_TEXT = 2 ** 20;
/** How deep a policy may be nested. */
const MAX_DEPTH = 16;
/** How deep a text may be nested to be read at all, and told where it is nested too deeply. */
const MAX_TEXT_DEPTH = 1000;
const ACTIONS: readonly string[] = ['allow', 'ask', 'deny'];

/** What a policy file says: `createPolicy(read.rules, read)`. */
export interface PolicyFile {
  readonly rules: readonly Rule[];
  readonly fallback?: Action;
}

/**
 * Reads a policy: `{ "fallback": "ask", "rules": [{ "deny": "notes/delete_*", "because": "…" }, { "action": "allow", "server": "notes",
 * "readOnly": true }] }`. A text may have comments and commas at the end. `file` is what errors call it.
 *
 * @throws TenonError `policy/syntax` when it is no JSON, `policy/rule` when it says what no policy can; both name the line.
 */
export function readPolicy(source: string | JsonObject, file = 'policy'): PolicyFile {
  if (typeof source !== 'string') {
    const read = policyOf(copyOf(source));
    if ('expected' in read) throw ruleError(read, `${file}: `);
    return read;
  }
  const tree = parsed(source, file);
  const read = doubled(tree) ?? policyOf(evaluate(tree));
  if ('expected' in read) throw ruleError(read, `${file}:${placeIn(source, nearestTo(tree, read.at))} `);
  return read;
}

function policyOf(value: unknown): PolicyFile | Fault {
  if (!isObject(value)) return { at: [], expected: 'an object with rules', got: value };
  const { rules, fallback, ...others } = value;
  // Editors find a schema by it.
  const other = Object.keys(others).find(name => name !== '$schema');
  if (other !== undefined) return { at: [other], expected: 'rules or fallback' };
  if (fallback !== undefined && !ACTIONS.includes(fallback as string))
    return { at: ['fallback'], expected: '"allow", "ask" or "deny"', got: fallback };
  if (!Array.isArray(rules)) return { at: ['rules'], expected: 'a list of rules', got: rules };
  if (rules.length > MAX_RULES) return { at: ['rules'], expected: `at most ${MAX_RULES} rules`, got: rules.length };
  const read: Rule[] = [];
  for (const [place, each] of rules.entries()) {
    const rule = ruleOf(each);
    const fault = 'expected' in rule ? (rule as Fault) : ruleFault(rule);
    if (fault) return { ...fault, at: ['rules', place, ...fault.at] };
    read.push(rule as unknown as Rule);
  }
  return { rules: read, ...(fallback === undefined ? {} : { fallback: fallback as Action }) };
}

/** `{ "deny": "server/name", … }` is short for an action, a server and a name. */
function ruleOf(value: unknown): JsonObject | Fault {
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
  const named = typeof text === 'string' ? namedBy(text) : undefined;
  return named ? { action, ...named, ...others } : { at: [action], expected: '"server/name"', got: text };
}

function parsed(text: string, file: string): ValueNode {
  if (text.length > MAX_TEXT) throw syntaxError(file, `a text of at most ${MAX_TEXT} characters`);
  const tree = treeOf(text, { maxDepth: MAX_TEXT_DEPTH });
  if (!('fault' in tree)) return tree;
  throw syntaxError(`${file}:${placeIn(text, tree.offset)}`, 'JSON, with comments if you like', tree.fault);
}

/** What stands in an object or an array, each with the step that leads to it. */
function within(node: ValueNode): [string | number, ValueNode][] {
  if (node.type === 'Object') return node.members.map(member => [nameOf(member), member.value]);
  return node.type === 'Array' ? node.elements.map(({ value }, index) => [index, value]) : [];
}

/** A member that stands there twice: readers differ on which of them counts. */
function doubled(node: ValueNode, at: Fault['at'] = []): Fault | undefined {
  if (at.length > MAX_DEPTH) return { at, expected: 'less nesting' };
  const seen = new Set<string | number>();
  for (const [step, value] of within(node)) {
    if (seen.has(step)) return { at: [...at, step], expected: 'each member once' };
    seen.add(step);
    const fault = doubled(value, [...at, step]);
    if (fault) return fault;
  }
  return undefined;
}

/** Where the nearest thing stands that is there. */
function nearestTo(tree: ValueNode, at: Fault['at']): number {
  let nearest = tree;
  for (const step of at) {
    const next = within(nearest).find(([each]) => each === step);
    if (!next) break;
    nearest = next[1];
  }
  return offsetOf(nearest);
}

function placeIn(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

function syntaxError(where: string, expected: string, got?: string): TenonError {
  return new TenonError('policy/syntax', `${where} can not be read`, { expected, got });
}
