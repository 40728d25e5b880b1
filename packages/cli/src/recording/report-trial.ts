import { resolve } from 'node:path';
import { readPolicyFile, sanitizeText } from '@tenon/host';
import { parseRecording } from '@tenon/testing';
import type { CliContext } from '../cli-context.js';
import { formatColumns, formatCount } from '../screen.js';
import { compareDecisions, type PolicyTrial } from './compare-decisions.js';
import { readSourceFile } from './recording-file.js';
import { type DecisionSettingOptions, evaluateCalls, readDecisionSetting } from './report-decisions.js';

/** Files of a trial. */
export interface TrialFiles {
  /** Policy in force. */
  readonly before: string;
  /** Policy to try. */
  readonly after: string;
  readonly recording: string;
  /** Configuration files of the gateway. */
  readonly configs: readonly string[];
}

export interface TrialOptions extends DecisionSettingOptions {
  readonly json?: boolean;
}

const MAX_NAME = 100;
const MAX_REASON = 300;

/** Reports the recorded calls about which a changed policy decides differently. Starts no server, and sends nothing. */
export async function reportTrial(
  context: CliContext,
  { before, after, recording: file, configs }: TrialFiles,
  { json, ...options }: TrialOptions,
): Promise<void> {
  const current = await readPolicyFile(resolve(context.cwd, before), before);
  const changed = await readPolicyFile(resolve(context.cwd, after), after);
  const recording = parseRecording(await readSourceFile(context, file));
  const setting = await readDecisionSetting(context, configs, [...current.rules, ...changed.rules], options);
  const [was, is] = [current, changed].map(policy => evaluateCalls(policy, recording, setting).calls);
  const trial = compareDecisions(was ?? [], is ?? []);
  if (json) context.screen.printJson(trial);
  else context.screen.print(formatTrial(trial, file));
}

function formatTrial({ calls, changes, counts }: PolicyTrial, file: string): string {
  const rows = changes.map(({ line, kind, server, name, before, after }) => [
    `line ${line}`,
    `${before.action} → ${after.action}`,
    `${kind} ${sanitizeText(`${server}/${name}`, { max: MAX_NAME })}`,
    sanitizeText(after.reason, { max: MAX_REASON }),
  ]);
  const { before, after } = counts;
  const moved = (['allow', 'ask', 'deny'] as const).map(each => `${each} ${before[each]} → ${after[each]}`).join(', ');
  const changed = changes.length === 0 ? 'no decision changes' : `${formatCount(changes.length, 'decision')} changed`;
  const summary = `${file}: ${formatCount(calls, 'call')}, ${changed}: ${moved}`;
  return rows.length === 0 ? summary : `${formatColumns(rows, '')}\n\n${summary}`;
}
