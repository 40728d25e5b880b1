import { resolve } from 'node:path';
import type { JsonObject } from 'tenon';
import { type Action, type ActionRequest, type Policy, readPolicyFile, sanitizeText } from 'tenon/host';
import { parseRecording, type RecordedMessage, type Recording } from 'tenon/testing';
import type { CliContext } from '../cli-context.js';
import { readConfiguration } from '../host/read-configuration.js';
import { formatColumns } from '../screen.js';
import { createUsageError } from '../usage-error.js';
import { readSourceFile } from './recording-file.js';

/** Decision of a policy about one recorded call. */
export interface RecordedDecision {
  /** Line of the call in the recording. */
  readonly line: number;
  readonly kind: ActionRequest['kind'];
  readonly server: string;
  /** Name of the tool or prompt, or URI of the resource. */
  readonly name: string;
  readonly action: Action;
  /** Number of the rule in the policy, from 1. `null` for the default of the policy. */
  readonly rule: number | null;
  readonly reason: string;
}

/** Output of `tenon gateway --dry-run --json`. */
export interface DecisionReport {
  readonly calls: readonly RecordedDecision[];
  /** Number of calls for each action. */
  readonly counts: Readonly<Record<Action, number>>;
}

export interface DecisionOptions {
  readonly recording: string;
  readonly policy?: string;
  readonly principal?: string;
  readonly json?: boolean;
}

/** Kinds of the methods that a policy decides about. */
const KINDS: Readonly<Record<string, ActionRequest['kind']>> = {
  'tools/call': 'tool',
  'prompts/get': 'prompt',
  'resources/read': 'resource',
  'resources/subscribe': 'resource',
};
/** Separator between the server and the name in the names of a gateway. */
const SEPARATOR = '__';
const MAX_NAME = 100;
const MAX_REASON = 300;

/** Reports the decision of a policy about each call of a recording. Starts no server, and sends nothing. */
export async function reportDecisions(
  context: CliContext,
  configs: readonly string[],
  { recording: file, policy: policyFile, principal, json }: DecisionOptions,
): Promise<void> {
  if (policyFile === undefined) throw createUsageError('--dry-run needs a policy', 'pass --policy FILE');
  const policy = await readPolicyFile(resolve(context.cwd, policyFile), policyFile);
  const recording = parseRecording(await readSourceFile(context, file));
  const entries = configs.length > 0 ? (await readConfiguration(context, configs)).entries : [];
  const servers = new Map(entries.map(({ name, trusted = false }) => [name, trusted]));
  const report = evaluateCalls(policy, recording, servers, principal);
  if (json) context.screen.printJson(report);
  else context.screen.print(formatDecisions(report, file));
}

/**
 * Returns the decisions about all recorded calls.
 *
 * @param servers Names of the configured servers, and whether their annotations are trusted.
 */
export function evaluateCalls(
  policy: Pick<Policy, 'evaluate'>,
  recording: Recording,
  servers: ReadonlyMap<string, boolean>,
  principal?: string,
): DecisionReport {
  const tools = readTools(recording);
  const calls = recording.messages.flatMap((recorded): RecordedDecision[] => {
    const call = readCall(recorded, servers);
    if (call === undefined) return [];
    const { line, kind, server, name } = call;
    const annotations = tools.get(call.publicName);
    const { action, rule, reason } = policy.evaluate({
      kind,
      server,
      name,
      arguments: call.arguments,
      trusted: servers.get(server) ?? false,
      principal,
      ...(kind === 'tool' && annotations ? { annotations } : {}),
    });
    return [{ line, kind, server, name, action, rule: rule ?? null, reason }];
  });
  const count = (action: Action) => calls.filter(call => call.action === action).length;
  return { calls, counts: { allow: count('allow'), ask: count('ask'), deny: count('deny') } };
}

interface RecordedCall extends Pick<ActionRequest, 'kind' | 'server' | 'name' | 'arguments'> {
  readonly line: number;
  readonly publicName: string;
}

function readCall({ dir, message, line, server }: RecordedMessage, servers: ReadonlyMap<string, boolean>) {
  if (dir !== 'send' || !('method' in message) || !('id' in message)) return undefined;
  const { method, params = {} } = message;
  const kind = Object.hasOwn(KINDS, method) ? KINDS[method] : undefined;
  const publicName = kind === 'resource' ? params.uri : params.name;
  if (kind === undefined || typeof publicName !== 'string') return undefined;
  const args = kind !== 'resource' && isObject(params.arguments) ? params.arguments : {};
  const owner = findOwner(publicName, servers);
  const call: RecordedCall = {
    line,
    kind,
    publicName,
    server: owner ?? server,
    name: owner === undefined ? publicName : publicName.slice(owner.length + SEPARATOR.length),
    arguments: args,
  };
  return call;
}

/** Finds the server in the name of a tool or prompt of a gateway. */
function findOwner(name: string, servers: ReadonlyMap<string, boolean>): string | undefined {
  return [...servers.keys()].find(server => name.startsWith(server + SEPARATOR));
}

/** Reads the annotations of the recorded tools. */
function readTools({ messages }: Recording): ReadonlyMap<string, JsonObject> {
  const tools = messages.flatMap(({ message }) =>
    'result' in message && isObject(message.result) ? readList(message.result) : [],
  );
  return new Map(tools);
}

function readList({ tools }: JsonObject): [string, JsonObject][] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap(tool =>
    isObject(tool) && typeof tool.name === 'string' && isObject(tool.annotations)
      ? [[tool.name, tool.annotations]]
      : [],
  );
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function formatDecisions({ calls, counts }: DecisionReport, file: string): string {
  const rows = calls.map(({ line, kind, server, name, action, reason }) => [
    `line ${line}`,
    action,
    `${kind} ${sanitizeText(`${server}/${name}`, { max: MAX_NAME })}`,
    sanitizeText(reason, { max: MAX_REASON }),
  ]);
  const summary = `${file}: ${calls.length} calls, ${counts.allow} allowed, ${counts.ask} need approval, ${counts.deny} denied`;
  return rows.length === 0 ? summary : `${formatColumns(rows, '')}\n\n${summary}`;
}
