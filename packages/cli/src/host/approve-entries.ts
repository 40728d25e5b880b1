import type { ConfiguredEntry } from '@tenon/host';
import { TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { describeError } from '../error-hints.js';
import type { BundleEntry } from '../mcpb/bundle-entry.js';
import { isBundlePath } from '../mcpb/is-bundle-path.js';
import { createNotApprovedError } from '../target/resolve-target.js';
import { createInputPrompt } from './input-prompt.js';
import type { FailedServer } from './read-configuration.js';
import { checkTrust, type TrustDecision } from './server-trust.js';

export interface EntryDecision extends TrustDecision {
  /** Servers whose bundle is invalid, or lacks a value. The error is reported. */
  readonly failed: readonly FailedServer[];
}

/**
 * Unpacks the bundles among servers of a configuration, asks for approval, and collects the values that bundles
 * request.
 *
 * @param ask Returns the values of inputs. Default: asks the user.
 */
export async function approveEntries(
  context: CliContext,
  entries: readonly ConfiguredEntry[],
  trust: boolean,
  ask = createInputPrompt(context),
): Promise<EntryDecision> {
  const failed: FailedServer[] = [];
  /** Runs a step for each server, one after another, because each may ask the user. */
  const convert = async <T extends ConfiguredEntry, R>(all: readonly T[], step: (entry: T) => Promise<R>) => {
    const converted: R[] = [];
    for (const entry of all) {
      await step(entry).then(
        result => converted.push(result),
        error => {
          context.screen.note(`error: ${describeError(error)}`, 'error');
          failed.push({ name: entry.name, error: TenonError.from(error) });
        },
      );
    }
    return converted;
  };
  const pending = await convert(entries, entry => extractEntry(context, entry, ask));
  const { approved, refused } = await checkTrust(context, pending, trust);
  return { approved: await convert(approved, completeEntry), refused, failed };
}

/**
 * Asks for the approval of one server.
 * @throws TenonError `config/not-approved`; the error of its bundle
 */
export async function approveEntry(
  context: CliContext,
  entry: ConfiguredEntry,
  trust: boolean,
): Promise<ConfiguredEntry> {
  const pending = await extractEntry(context, entry, createInputPrompt(context));
  const { approved } = await checkTrust(context, [pending], trust);
  if (approved.length === 0) throw createNotApprovedError(entry.name);
  return completeEntry(pending);
}

const completeEntry = async (entry: ConfiguredEntry | BundleEntry): Promise<ConfiguredEntry> =>
  'complete' in entry ? entry.complete() : entry;

async function extractEntry(
  context: CliContext,
  entry: ConfiguredEntry,
  ask: ReturnType<typeof createInputPrompt>,
): Promise<ConfiguredEntry | BundleEntry> {
  const { target } = entry;
  if ('url' in target || !isBundlePath(target.command)) return entry;
  const { createConfiguredBundle } = await import('../mcpb/bundle-entry.js');
  return createConfiguredBundle(context, { ...entry, target }, ask);
}
