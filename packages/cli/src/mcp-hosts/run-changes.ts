import { TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { writeConfigText } from './config-file.js';
import { formatActions, formatDiff } from './format-changes.js';
import type { PlannedAction, PlannedChange } from './plan-change.js';
import type { UnreadServer } from './sync-source.js';

/** Result for one file, as `--json` prints it. */
export interface HostChange {
  readonly host: string;
  readonly file: string;
  readonly actions: readonly PlannedAction[];
  /** Copy of the former file. */
  readonly backup?: string;
  /** Unified diff, of a dry run. */
  readonly diff?: string;
}

/** Result of a command that changes configurations, as `--json` prints it. */
export interface ChangesResult extends Partial<SourceSummary> {
  readonly dryRun: boolean;
  readonly changes: readonly HostChange[];
}

/** Source of the servers of `tenon sync`. */
export interface SourceSummary {
  readonly source: string;
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  /** Servers that cannot be read, in the source or in a configuration that was to be changed. */
  readonly unread: readonly UnreadServer[];
}

export interface RunChangesOptions {
  readonly dryRun?: boolean | undefined;
  readonly json?: boolean | undefined;
  /** True if the files belong to the project in the current folder. */
  readonly project?: boolean | undefined;
}

/** Plans the changes of all files. Rejects with all errors, before anything is written. */
export async function collectPlans<T>(
  items: readonly T[],
  plan: (item: T) => Promise<PlannedChange>,
): Promise<PlannedChange[]> {
  const plans: PlannedChange[] = [];
  const errors: TenonError[] = [];
  for (const item of items) {
    try {
      plans.push(await plan(item));
    } catch (error) {
      errors.push(TenonError.from(error));
    }
  }
  throwErrors(errors, 'nothing was written');
  return plans;
}

/** Writes the planned changes, or shows them. Prints the result. */
export async function runChanges(
  { screen, cwd }: Pick<CliContext, 'screen' | 'cwd'>,
  plans: readonly PlannedChange[],
  { dryRun = false, json = false, project = false }: RunChangesOptions,
  source?: SourceSummary,
): Promise<void> {
  const changes: HostChange[] = [];
  const errors: TenonError[] = [];
  for (const plan of plans) {
    const { host, file, before, after, actions } = plan;
    try {
      const hasChange = after !== (before ?? '');
      const backup =
        hasChange && !dryRun
          ? await writeConfigText({ path: file, before, after, now: new Date(), ...(project ? { project: cwd } : {}) })
          : undefined;
      const diff = dryRun ? formatDiff(plan) : undefined;
      changes.push({
        host: host.id,
        file,
        actions,
        ...(backup === undefined ? {} : { backup }),
        ...(diff === undefined ? {} : { diff }),
      });
      if (json) continue;
      for (const line of formatActions(plan, dryRun, backup)) screen.print(line);
      if (diff) screen.print(diff);
    } catch (error) {
      errors.push(TenonError.from(error));
    }
  }
  const result: ChangesResult = { dryRun, ...source, changes };
  if (json) screen.printJson(result);
  throwErrors(errors, changes.length === 0 ? 'nothing was written' : 'the other files were written');
}

/** Throws one error for all. */
function throwErrors(errors: readonly TenonError[], outcome: string): void {
  const [first] = errors;
  if (first === undefined) return;
  const { code, expected, received, hint } = first;
  throw new TenonError(code, `${errors.map(({ summary }) => summary).join('\n')}\n${outcome}`, {
    ...(errors.length === 1 ? { expected, received } : {}),
    ...(hint === undefined ? {} : { hint }),
    cause: errors.length === 1 ? first : new AggregateError(errors),
  });
}
