import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  type AskInput,
  type ConfiguredEntry,
  readPolicyFile,
  type ServerChanges,
  sanitizeName,
  watchConfig,
} from '@tenon/host';
import { TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { describeError } from '../error-hints.js';
import { approveEntries } from '../host/approve-entries.js';
import type { GatewayHost } from '../host/create-host.js';
import { type Configuration, readConfiguration } from '../host/read-configuration.js';
import { createServerReporter, listSkipped, type ReportedServer, reportServers } from './report-servers.js';

/** Gateway whose files are read again when they change. */
export interface ReloadableGateway {
  readonly gateway: Pick<GatewayHost, 'host' | 'update'>;
  /** Configuration at the start. */
  readonly configuration: Configuration;
  /** Time at which the files were read, in milliseconds since the epoch. */
  readonly readAt: number;
  /** Servers that run at the start. */
  readonly entries: readonly ConfiguredEntry[];
  /** Path of the policy file. Absent without a policy. */
  readonly policy?: string | undefined;
  /** Starts the configured commands without asking for approval. */
  readonly trust: boolean;
  /** Prints the changes as JSON. */
  readonly json: boolean;
  /** Standard output carries a protocol, and the servers are not started to report their state. */
  readonly stdio: boolean;
  readonly inputs: AskInput;
  /** Called after a change with the configured servers that do not run, and the names of the disabled ones. */
  readonly onSkipped?: (skipped: readonly ReportedServer[], disabled: readonly string[]) => void;
}

/** Files that are watched until it is closed. */
export interface GatewayWatch {
  /** Reads the files now, also without a change. */
  reload(): Promise<void>;
  /** Reads the policy file now. Absent without a policy. */
  readonly reloadPolicy: (() => Promise<void>) | undefined;
  close(): void;
}

/**
 * Watches the configuration files and the policy file of a gateway, and applies their changes. SIGHUP reads them too,
 * except in a terminal, where it ends the gateway. While a file is invalid, the gateway keeps what it has read before.
 */
export async function watchGateway(context: CliContext, reloadable: ReloadableGateway): Promise<GatewayWatch> {
  const { configuration, policy, json } = reloadable;
  let { entries } = reloadable;
  let last = Promise.resolve();
  /** Changes during a reload are applied after it. */
  const enqueue = (work: () => Promise<void>, event: FailedEvent = { event: 'configuration' }) => {
    last = last.then(work).catch(error => reportFailure(context, json, event, error));
    return last;
  };
  const reloadServers = () =>
    enqueue(async () => {
      entries = await applyServers(context, reloadable, entries);
    });
  /** Text of the policy that was read last. The watcher reports a file that the console has saved, too. */
  let applied: string | undefined;
  const reloadPolicy = (file: string, isWatched = false) =>
    enqueue(
      async () => {
        const text = await readFile(resolve(context.cwd, file), 'utf8').catch(() => undefined);
        if (isWatched && text !== undefined && text === applied) return;
        await applyPolicy(context, reloadable, file);
        applied = text;
      },
      { event: 'policy', file },
    );
  const watches = configuration.files.map(file => watchConfig(file, () => void reloadServers()));
  if (policy !== undefined)
    watches.push(watchConfig(resolve(context.cwd, policy), () => void reloadPolicy(policy, true)));
  const stops = await Promise.all(watches);
  const reload = async () => {
    await reloadServers();
    if (policy !== undefined) await reloadPolicy(policy);
  };
  if (await hasChangedSince([...configuration.files, ...(policy === undefined ? [] : [policy])], context, reloadable))
    void reload();
  const onHangUp = () => void reload();
  if (!context.terminal.interactive) process.on('SIGHUP', onHangUp);
  return {
    reload,
    reloadPolicy: policy === undefined ? undefined : () => reloadPolicy(policy),
    close() {
      process.off('SIGHUP', onHangUp);
      for (const stop of stops) stop();
    },
  };
}

/** Tells if a file has changed after it was read and before it was watched. A question to the user takes its time. */
async function hasChangedSince(
  files: readonly string[],
  { cwd }: CliContext,
  { readAt }: ReloadableGateway,
): Promise<boolean> {
  const times = await Promise.all(
    files.map(file =>
      stat(resolve(cwd, file)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  return times.some(time => time > readAt);
}

/** Reads the servers, and returns the running ones. */
async function applyServers(
  context: CliContext,
  { gateway, configuration, trust, json, stdio, inputs, onSkipped }: ReloadableGateway,
  before: readonly ConfiguredEntry[],
): Promise<readonly ConfiguredEntry[]> {
  const { entries, broken, disabled } = await readConfiguration(context, configuration.files, { inputs });
  const decision = await approveEntries(context, entries, trust, inputs);
  const { approved, failed } = decision;
  // An invalid entry may be half written, so its server keeps running.
  const invalid = [...broken, ...failed].map(({ name }) => name);
  const unchanged = before.filter(({ name }) => invalid.includes(name));
  const running = [...approved, ...unchanged];
  const changes = gateway.update({ entries: running });
  reportChanges(context, changes, json);
  const skipped = listSkipped({ broken }, decision).filter(({ name }) => !running.some(each => each.name === name));
  onSkipped?.(skipped, disabled);
  if (!stdio) reportStates(context, gateway, [...changes.added, ...changes.changed], skipped, json);
  return running;
}

async function applyPolicy(context: CliContext, { gateway, json }: ReloadableGateway, file: string): Promise<void> {
  const policy = await readPolicyFile(resolve(context.cwd, file), file);
  gateway.update({ policy });
  const [rules, quotas] = [policy.rules.length, policy.quotas.length];
  if (json) context.screen.printEvent({ event: 'policy', file, rules, quotas });
  else context.screen.note(`${file}: reloaded, ${rules} rules, ${quotas} quotas`);
}

function reportChanges({ screen }: CliContext, changes: ServerChanges, json: boolean): void {
  if (json) return screen.printEvent({ event: 'configuration', ...changes });
  const lines = (['added', 'removed', 'changed'] as const).flatMap(kind =>
    changes[kind].map(name => `server ${sanitizeName(name)}: ${kind}`),
  );
  for (const line of lines.length > 0 ? lines : ['configuration read again: no server has changed']) screen.note(line);
}

/** Reports the state of servers as soon as each has responded, and those that do not run. */
function reportStates(
  context: CliContext,
  { host }: Pick<GatewayHost, 'host'>,
  names: readonly string[],
  skipped: readonly ReportedServer[],
  json: boolean,
): void {
  const all = [...names, ...skipped.map(({ name }) => name)];
  const report = createServerReporter(context, all, { json, print: text => context.screen.note(text) });
  for (const server of skipped) report(server);
  void reportServers(host, names, report);
}

/** Event of a file that could not be read. */
type FailedEvent = { readonly event: 'configuration' } | { readonly event: 'policy'; readonly file: string };

function reportFailure({ screen }: CliContext, json: boolean, event: FailedEvent, thrown: unknown): void {
  const { code, summary } = TenonError.from(thrown);
  if (json) screen.printEvent({ ...event, error: { code, message: summary } }, 'error');
  screen.note(`not reloaded, the gateway keeps running with the last valid files: ${describeError(thrown)}`, 'error');
}
