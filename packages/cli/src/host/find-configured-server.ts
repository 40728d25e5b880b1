import { TenonError } from 'tenon';
import { type ConfiguredEntry, findNearestKey, findUserConfigs } from 'tenon/host';
import type { CliContext } from '../cli-context.js';
import type { TargetOptions } from '../target/target-options.js';
import { createUsageError } from '../usage-error.js';
import { approveEntry } from './approve-entries.js';
import { type Configuration, readConfiguration } from './read-configuration.js';

/**
 * Finds a server by its name. Searches the files of `--config`, else the configuration of this folder, else those of
 * the user's MCP hosts.
 *
 * @throws TenonError if its command may not be started.
 */
export async function findConfiguredServer(
  context: CliContext,
  name: string,
  { config = [], trust = false }: TargetOptions,
): Promise<ConfiguredEntry> {
  const configuration =
    config.length > 0 ? await readConfiguration(context, config) : await readDefaults(context, name);
  const entry = configuration?.entries.find(each => each.name === name);
  if (entry === undefined) throw createUnknownServerError(name, configuration);
  return approveEntry(context, entry, trust);
}

/** Returns the configuration of this folder if it contains the server, else those of the user. */
async function readDefaults(context: CliContext, name: string): Promise<Configuration | undefined> {
  const here = await readConfiguration(context, []).catch((error: unknown) => {
    if (isMissingConfig(error)) return undefined;
    throw error;
  });
  if (here?.named.has(name)) return here;
  const paths = (await findUserConfigs()).map(({ path }) => path);
  return paths.length === 0 ? here : readConfiguration(context, paths);
}

const isMissingConfig = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'cli/no-config';

function createUnknownServerError(name: string, configuration: Configuration | undefined): Error {
  const known = configuration ? [...configuration.named] : [];
  if (known.length === 0) {
    return createUsageError(
      `server "${name}" not found: there is no configuration, and no file of this name`,
      'pass a URL, a server file, a command after --, or --config FILE',
    );
  }
  if (configuration?.named.has(name)) return createUnusableServerError(name, configuration);
  const nearest = findNearestKey(name, known);
  const hint = nearest === undefined ? `use one of: ${known.join(', ')}` : `did you mean "${nearest}"?`;
  return createUsageError(`server "${name}" not found in ${configuration?.files.join(', ')}`, hint);
}

/** Creates the error for a server that the configuration contains, and that cannot be started. */
function createUnusableServerError(name: string, { broken, files }: Configuration): TenonError {
  const place = files.join(', ');
  return broken.some(each => each.name === name)
    ? new TenonError('cli/unusable-server', `the entry of server "${name}" in ${place} is invalid`, {
        hint: 'correct the problem of this server that is reported above',
      })
    : new TenonError('cli/unusable-server', `server "${name}" is disabled in ${place}`, {
        hint: 'enable it there, or pass its URL, or its command after --',
      });
}
