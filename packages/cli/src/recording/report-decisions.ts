import { resolve } from 'node:path';
import { isObject, toJsonObject } from '@tenon/base';
import {
  type Action,
  type ActionRequest,
  type ConfiguredEntry,
  type EntryNames,
  openLockFile,
  type Policy,
  type Prefix,
  readPolicyFile,
  sanitizeText,
} from '@tenon/host';
import { parseRecording, type Recording } from '@tenon/testing';
import type { JsonObject } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { createPlaceholderEnv, getPlaceholder } from '../host/placeholders.js';
import { type PolicyUserOptions, parsePolicyUser } from '../host/policy-user.js';
import { findSources, readConfiguration } from '../host/read-configuration.js';
import { formatColumns } from '../screen.js';
import { createUsageError } from '../usage-error.js';
import { createCallResolver } from './call-resolver.js';
import { readSourceFile } from './recording-file.js';

/** Decision of a policy about one recorded call. */
export interface RecordedDecision {
  /** Line of the call in the recording. In the console of a gateway, the number of the decision. */
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

export interface DecisionOptions extends DecisionSettingOptions {
  readonly recording: string;
  readonly policy?: string;
  readonly json?: boolean;
}

/** Options of the gateway whose decisions are reported. */
export interface DecisionSettingOptions extends PolicyUserOptions {
  /** Lock file, which contains names of tools. `true` uses `mcp.lock`. `false` uses no lock file. */
  readonly lock?: string | boolean;
  readonly prefix?: Prefix;
  readonly budget?: number;
}

const MAX_NAME = 100;
const MAX_REASON = 300;

/** Reports the decision of a policy about each call of a recording. Starts no server, and sends nothing. */
export async function reportDecisions(
  context: CliContext,
  configs: readonly string[],
  { recording: file, policy: policyFile, json, ...options }: DecisionOptions,
): Promise<void> {
  if (policyFile === undefined) throw createUsageError('--dry-run needs a policy', 'pass --policy FILE');
  const policy = await readPolicyFile(resolve(context.cwd, policyFile), policyFile);
  const recording = parseRecording(await readSourceFile(context, file));
  const report = evaluateCalls(policy, recording, await readDecisionSetting(context, configs, policy.rules, options));
  if (json) context.screen.printJson(report);
  else context.screen.print(formatDecisions(report, file));
}

/**
 * Reads the servers, the user and the names for the decisions about a recording.
 *
 * @param rules Rules whose names are known names, too.
 */
export async function readDecisionSetting(
  context: CliContext,
  configs: readonly string[],
  rules: Policy['rules'],
  { budget, ...options }: DecisionSettingOptions,
): Promise<DecisionSetting> {
  const user = parsePolicyUser(options);
  const servers = await readServers(context, configs);
  const { prefix } = options;
  const known = await readKnownNames(context, rules, servers, options);
  return { servers, user, known, prefix, hasBudget: budget !== undefined };
}

type DecisionServer = Pick<ConfiguredEntry, 'name' | 'tools' | 'trusted'>;

/**
 * Reads the servers of the configuration, also those that cannot start here. The gateway without a configuration has no
 * servers to serve, but a recording of a single server can be evaluated without one.
 */
async function readServers(context: CliContext, configs: readonly string[]): Promise<readonly DecisionServer[]> {
  if (configs.length === 0 && (await findSources(context)).length === 0) return [];
  // The values of inputs and variables do not affect a decision, so nobody is asked, and variables may be missing.
  const offline = { ...context, env: createPlaceholderEnv(context.env) };
  const { entries, named } = await readConfiguration(offline, configs, { inputs: getPlaceholder });
  const others = [...named].filter(name => !entries.some(entry => entry.name === name));
  return [...entries, ...others.map(name => ({ name }))];
}

/** Reads the names of tools and prompts at the servers: from the lock, and from rules with a whole name. */
async function readKnownNames(
  { cwd }: CliContext,
  rules: Policy['rules'],
  servers: readonly DecisionServer[],
  { lock, prefix }: Pick<DecisionSettingOptions, 'lock' | 'prefix'>,
): Promise<Map<string, EntryNames>> {
  const path = resolve(cwd, typeof lock === 'string' ? lock : 'mcp.lock');
  const locked = lock === false ? undefined : await openLockFile(path).read();
  // Without a prefix, the name of a rule would belong to several servers.
  const written = prefix === 'never' ? [] : rules.flatMap(({ name, tool, prompt }) => [name, tool, prompt]);
  const names = written.flatMap(each => (typeof each === 'object' && 'exact' in each ? each.exact : (each ?? [])));
  return new Map(
    servers.map(({ name: server }) => {
      const lockedServer = locked?.servers.get(server);
      const tools = [...(lockedServer?.tools.keys() ?? []), ...names];
      return [server, { tools, prompts: [...(lockedServer?.prompts.keys() ?? []), ...names] }];
    }),
  );
}

/** Facts about the gateway whose decisions are reported. */
export interface DecisionSetting {
  /** Configured servers. */
  readonly servers: readonly DecisionServer[];
  /** Names of entries at the servers, by server. */
  readonly known?: ReadonlyMap<string, EntryNames>;
  readonly prefix?: Prefix | undefined;
  /** True if tools may be called through `call_tool`. */
  readonly hasBudget?: boolean;
  readonly user?: ReturnType<typeof parsePolicyUser>;
}

/** Returns the decisions about all recorded calls. */
export function evaluateCalls(
  policy: Pick<Policy, 'evaluate'>,
  recording: Recording,
  setting: DecisionSetting,
): DecisionReport {
  const { servers, user } = setting;
  const annotations = readAnnotations(recording);
  const resolveCall = createCallResolver(setting);
  const calls = recording.messages.flatMap((recorded): RecordedDecision[] => {
    const call = resolveCall(recorded);
    if (call === undefined) return [];
    const { line, kind, server, name } = call;
    const hints = kind === 'tool' ? annotations.get(call.publicName) : undefined;
    const { action, rule, reason } = call.isExcluded
      ? { action: 'deny' as const, rule: undefined, reason: `the configuration of the server "${server}" disables it` }
      : policy.evaluate({
          kind,
          server,
          name,
          arguments: call.arguments,
          trusted: servers.find(each => each.name === server)?.trusted ?? false,
          principal: undefined,
          ...user,
          ...(hints ? { annotations: hints } : {}),
        });
    const unclear = call.isKnown
      ? ''
      : '. The name at the server is not in the lock file, so rules with names may not match';
    return [{ line, kind, server, name, action, rule: rule ?? null, reason: reason + unclear }];
  });
  return { calls, counts: countActions(calls) };
}

/** Counts the decisions for each action. */
export function countActions(decisions: readonly Pick<RecordedDecision, 'action'>[]): DecisionReport['counts'] {
  const count = (action: Action) => decisions.filter(decision => decision.action === action).length;
  return { allow: count('allow'), ask: count('ask'), deny: count('deny') };
}

/** Reads the annotations of the recorded tools, also of those that `describe_tools` has described. */
function readAnnotations({ messages }: Recording): ReadonlyMap<string, JsonObject> {
  const tools = messages.flatMap(({ message }) => {
    const result = 'result' in message ? toJsonObject(message.result) : {};
    return [result, ...(isObject(result.structuredContent) ? [result.structuredContent] : [])].flatMap(readList);
  });
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
