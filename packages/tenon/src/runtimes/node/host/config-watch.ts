import { createHash } from 'node:crypto';
import { type FSWatcher, realpathSync, watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { type Clock, systemClock } from '../../../cancellation/clock.js';
import { MAX_CONFIG_SIZE } from '../../../host/config/json-node.js';
import { TenonError } from '../../../jsonrpc/error.js';
import { readBoundedFile } from './config-file.js';

/** Delay between a change of a file and reading it, in milliseconds: the write may not be complete. */
const SETTLE_DELAY = 200;

export interface ConfigWatchOptions {
  readonly clock?: Clock | undefined;
  /** In milliseconds. Default 200. */
  readonly settleDelay?: number | undefined;
}

/**
 * Calls `changed` when the contents of a file change, also by a rename, or when it is deleted. Returns a function that
 * ends watching. Keeps no process alive.
 *
 * @throws TenonError `config/not-found` when the folder of the file does not exist.
 */
export async function watchConfig(
  path: string,
  onChanged: () => void,
  { clock = systemClock, settleDelay = SETTLE_DELAY }: ConfigWatchOptions = {},
): Promise<() => void> {
  const file = resolve(path);
  let stopped = false;
  let cancelTimer: (() => void) | undefined;
  let last = computeDigest(file);
  const compare = async (): Promise<void> => {
    cancelTimer = undefined;
    const before = last;
    last = computeDigest(file);
    if ((await before) !== (await last) && !stopped) onChanged();
  };
  // Not put off by what comes after: a folder in which much happens must not keep it from being read.
  const scheduleCompare = () => {
    if (!stopped) cancelTimer ??= clock.after(settleDelay, () => void compare());
  };
  const watchers = createWatchers(file, scheduleCompare);
  const stop = () => {
    stopped = true;
    cancelTimer?.();
    for (const watcher of watchers) watcher.close();
  };
  await last;
  return stop;
}

/** The folder is watched, since a file that is replaced is another file; and that which a link leads to. */
function createWatchers(file: string, onEvent: () => void): FSWatcher[] {
  const paths = new Set([file, resolveTarget(file)]);
  const names = new Set([...paths].map(place => basename(place)));
  const watchers: FSWatcher[] = [];
  try {
    for (const folder of new Set([...paths].map(place => dirname(place)))) {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        // Kubernetes swaps a link beside the file, `..data`.
        if (name === null || names.has(name) || name.startsWith('..')) onEvent();
      });
      // A folder that is taken away is a change, and nothing to end the process for.
      watchers.push(watcher.on('error', onEvent));
    }
  } catch (cause) {
    for (const watcher of watchers) watcher.close();
    const details = { received: (cause as NodeJS.ErrnoException).code, hint: 'make the folder first', cause };
    throw new TenonError('config/not-found', `cannot watch the folder of ${file}`, details);
  }
  return watchers;
}

function resolveTarget(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

async function computeDigest(file: string): Promise<string> {
  try {
    return createHash('sha256')
      .update(await readBoundedFile(file, MAX_CONFIG_SIZE))
      .digest('hex');
  } catch (error) {
    return TenonError.from(error).code;
  }
}
