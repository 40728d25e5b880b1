import { stringifyJson } from '@tenon/base';
import type { Command } from 'commander';
import { type Client, TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { exitCodes, getExitCode } from '../exit-codes.js';
import { formatExamples } from '../options/create-command.js';
import { summaries } from '../summaries.js';
import { createRestartObserver } from '../target/observe-restarts.js';
import { runWithClient, type TargetConnection } from '../target/run-with-client.js';
import { createTargetCommand, type TargetOptions, withTargetOptions } from '../target/target-options.js';
import { takeTarget } from '../target/target-reference.js';
import { createUsageError } from '../usage-error.js';

interface SubscribeOptions extends TargetOptions {
  readonly tools?: boolean;
  readonly prompts?: boolean;
  readonly resources?: boolean;
  readonly read?: boolean;
}

export function createSubscribeCommand(context: CliContext): Command {
  const command = createTargetCommand('subscribe', summaries.subscribe, '[URI…]')
    .option('--tools', 'watch the list of tools')
    .option('--prompts', 'watch the list of prompts')
    .option('--resources', 'watch the list of resources')
    .option('--read', 'read a resource after each change, and print its contents if they differ from the last ones');
  return withTargetOptions(command)
    .addHelpText(
      'after',
      formatExamples([
        ['tenon subscribe notes note://Glue --read', 'a resource, with its contents'],
        ['tenon subscribe notes --tools --resources', 'two lists'],
      ]),
    )
    .action(async (words: string[], options: SubscribeOptions) => {
      const { reference, rest: uris } = takeTarget(context, words);
      const { tools = false, prompts = false, resources = false } = options;
      if (uris.length === 0 && !tools && !prompts && !resources)
        throw createUsageError('nothing to watch', 'pass URIs, --tools, --prompts or --resources');
      let isWatching = false;
      await runWithClient(context, reference, options, async connection => {
        isWatching = true;
        context.code = exitCodes.success;
        await printChanges(context, connection, { uris, tools, prompts, resources }, options);
      });
      // A watch is ended by Ctrl-C only, which is success.
      if (isWatching && context.code === exitCodes.interrupted) context.code = exitCodes.success;
    });
}

interface Watched {
  readonly uris: readonly string[];
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
}

/** Prints changes until Ctrl-C. Throws if the process of the server ends again and again. */
async function printChanges(
  { screen }: CliContext,
  connection: TargetConnection,
  watched: Watched,
  { read }: SubscribeOptions,
): Promise<void> {
  const { client } = connection;
  const stop = new AbortController();
  const signal = AbortSignal.any([connection.signal, stop.signal]);
  const stopObserving = client.on(
    'state',
    createRestartObserver(connection.target, {
      onReconnected: () => screen.printJson({ event: 'reconnected' }),
      onTooMany: error => stop.abort(error),
    }),
  );
  const reader = new ContentReader(client, signal);
  screen.note(`watching ${describeWatched(watched)}; Ctrl-C ends it`);
  try {
    for await (const change of client.watch(watched, { signal })) {
      const line = read && 'uri' in change ? await reader.read(change.uri) : change;
      if (line !== undefined) screen.printJson(line);
    }
    if (!connection.signal.aborted) signal.throwIfAborted();
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : error;
  } finally {
    stopObserving();
  }
}

/** Describes what is watched: `1 resource, the tools`. */
function describeWatched({ uris, ...lists }: Watched): string {
  const resources = uris.length === 0 ? [] : [`${uris.length} ${uris.length === 1 ? 'resource' : 'resources'}`];
  const named = Object.entries(lists).flatMap(([name, isListed]) => (isListed ? [`the list of ${name}`] : []));
  return [...resources, ...named].join(', ');
}

/** Reads changed resources. After a lost connection, each resource is reported as changed, although few have changed. */
class ContentReader {
  readonly #client: Client;
  readonly #signal: AbortSignal;
  readonly #printed = new Map<string, string>();

  constructor(client: Client, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  /** Returns the contents of a resource. `undefined` if they are the same as the last ones, or the connection is lost. */
  async read(uri: string): Promise<object | undefined> {
    try {
      const { contents } = await this.#client.readResource(uri, { signal: this.#signal });
      const text = stringifyJson(contents);
      if (this.#printed.get(uri) === text) return undefined;
      this.#printed.set(uri, text);
      return { uri, contents };
    } catch (error) {
      // The resource is reported again once the connection is open.
      if (!this.#signal.aborted && getExitCode(TenonError.from(error)) === exitCodes.unreachable) return undefined;
      throw error;
    }
  }
}
