import { findNearestKey } from '@tenon/base';
import { quoteName, type ReportFinding } from './config-finding.js';
import type { JsonNode } from './json-node.js';

/** Value that a configuration requests from the user before a server starts, as in VS Code. */
export interface ConfigInput {
  /** ID, as in `${input:ID}`. */
  readonly id: string;
  /** Type of the input: free text, or one of several options. */
  readonly type: 'promptString' | 'pickString';
  /** Prompt for the value. */
  readonly description?: string;
  /** True if the typed text must be hidden. */
  readonly password?: boolean;
  /** Value if the user enters none. */
  readonly default?: string;
  /** Options of a `pickString` input. */
  readonly options?: readonly string[];
}

const INPUT_KEYS: readonly string[] = ['id', 'type', 'description', 'password', 'default', 'options'];

/** Asks the user for the value of an input. Return `undefined` to use the default. */
export type AskInput = (input: ConfigInput) => string | undefined | Promise<string | undefined>;

/** Value of an input, or the reason why it is missing. */
export type InputAnswer = { readonly value: string } | { readonly missing: string };
export type ResolveInput = (id: string) => Promise<InputAnswer>;

/**
 * Creates the resolver for the `inputs` of a configuration. It asks the user once for each input that a server needs.
 */
export function createInputResolver(
  nodes: readonly JsonNode[],
  report: ReportFinding,
  ask: AskInput | undefined,
): ResolveInput {
  const known = new Map<string, ConfigInput>();
  for (const spot of nodes) {
    const input = parseInput(spot, report);
    if (input && known.has(input.id)) report('error', 'config/input', spot, 'duplicate input id');
    else if (input) known.set(input.id, input);
  }
  const answers = new Map<string, Promise<InputAnswer>>();
  return id => {
    const answer = answers.get(id) ?? resolveInput(known.get(id), id, ask);
    answers.set(id, answer);
    return answer;
  };
}

async function resolveInput(
  input: ConfigInput | undefined,
  id: string,
  ask: AskInput | undefined,
): Promise<InputAnswer> {
  if (!input) return { missing: `input ${quoteName(id)} not found` };
  let value: string | undefined;
  try {
    value = await ask?.(input);
  } catch {
    return { missing: `the prompt for the input ${quoteName(id)} failed` };
  }
  value ??= input.default;
  if (typeof value !== 'string') return { missing: `the input ${quoteName(id)} has no answer` };
  if (input.options && !input.options.includes(value))
    return { missing: `the answer to the input ${quoteName(id)} is not one of its options` };
  return { value };
}

function parseInput(node: JsonNode, report: ReportFinding): ConfigInput | undefined {
  const reportInvalid = (summary: string, at: JsonNode = node): undefined => {
    report('error', 'config/input', at, summary, {
      expected: 'an object with `id` and the `type` promptString or pickString',
    });
  };
  const readText = (name: string): string | undefined => {
    const value = node.members.get(name)?.value;
    return typeof value === 'string' ? value : undefined;
  };
  if (node.kind !== 'object') return reportInvalid('invalid input');
  const id = readText('id');
  const type = readText('type') ?? 'promptString';
  if (!id) return reportInvalid('the input has no `id`');
  // Without `password`, a terminal would show the typed secret.
  for (const [key, spot] of node.members)
    if (key !== 'password' && findNearestKey(key, INPUT_KEYS) === 'password')
      return void report('error', 'config/unknown-key', spot, `unknown key ${quoteName(key)}`, {
        hint: 'did you mean "password"?',
      });
  if (type !== 'promptString' && type !== 'pickString') return reportInvalid('unsupported input type');
  const options = node.members.get('options')?.items.flatMap(parseOption);
  if (type === 'pickString' && !options?.length) return reportInvalid('`options` is empty', node);
  const [description, fallback] = [readText('description'), readText('default')];
  return {
    id,
    type,
    ...(description !== undefined && { description }),
    ...(node.members.get('password')?.value === true && { password: true }),
    ...(fallback !== undefined && { default: fallback }),
    ...(type === 'pickString' && options && { options }),
  };
}

/** Parses an option. VS Code also accepts `{ label, value }`. */
function parseOption(spot: JsonNode): string[] {
  const value = spot.kind === 'object' ? spot.members.get('value')?.value : spot.value;
  return typeof value === 'string' ? [value] : [];
}
