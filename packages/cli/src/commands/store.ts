import type { Command } from 'commander';
import { sealRestoredStores } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { describeError } from '../error-hints.js';
import { exitCodes } from '../exit-codes.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { withStore } from '../options/serving-options.js';
import { formatCount } from '../screen.js';
import { openStores, type StoreOptions } from '../stores/open-stores.js';
import { readSealKeys } from '../stores/seal-keys.js';
import { summaries } from '../summaries.js';
import { createUsageError } from '../usage-error.js';

interface ResealCommandOptions extends StoreOptions {
  readonly from: string;
  readonly prefix?: string;
  readonly json?: boolean;
}

/** Creates the command for the stores of servers and gateways. */
export function createStoreCommand(context: CliContext): Command {
  const reseal = withStore(
    createCommand('reseal', 'bind values that were restored from a backup to the prefix of this store'),
    'store with the restored values: redis://… or postgres://…',
  )
    .requiredOption('--from <prefix>', 'prefix of Redis, or schema of Postgres, from which the backup was taken')
    .option('--prefix <prefix>', 'prefix or schema of this store (default: tenon)')
    .option('--json', 'print one JSON object')
    .action((options: ResealCommandOptions) => runReseal(context, options));
  return createCommand('store', summaries.store)
    .addCommand(reseal)
    .addHelpText(
      'after',
      formatExamples([
        [
          'tenon store reseal --store-env REDIS_URL --keys-env KEYS --from tenon --prefix tenon-restored',
          'let servers with the prefix tenon-restored read a backup of the prefix tenon',
        ],
      ]),
    );
}

async function runReseal(context: CliContext, { from, json, ...options }: ResealCommandOptions): Promise<void> {
  const keys = await readSealKeys(context, options);
  const stores = await openStores(context, options);
  if (stores === undefined || keys === undefined)
    throw createUsageError(
      'a store and its keys are needed',
      'pass --store or --store-env, and --keys-env or --keys-file',
    );
  try {
    const onError = (error: Parameters<typeof describeError>[0]) => context.screen.note(describeError(error), 'error');
    const result = await sealRestoredStores(stores, { keys, from, onError });
    if (json) context.screen.printJson(result);
    else {
      const { resealed, unchanged, failed } = result;
      context.screen.print(`Resealed ${formatCount(resealed, 'value')}. Unchanged: ${unchanged}. Failed: ${failed}.`);
    }
    context.code = result.failed === 0 ? exitCodes.success : exitCodes.failure;
  } finally {
    await stores.close();
  }
}
