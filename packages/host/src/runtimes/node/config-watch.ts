import { createHash } from 'node:crypto';
import { type FSWatcher, realpathSync, watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import {
  type Clock,
  checkFunction,
  checkString,
  requireArgument,
  requireKnownOptions,
  systemClock,
  TenonError,
} from '@tenon/base';
import { MAX_CONFIG_SIZE } from '../../config/json-node.js';
import { readBoundedFile } from './config-file.js';

/** Delay between a change of a file and reading it, in milliseconds. It waits for the write to be complete. */
const SETTLE_DELAY = 200;

export interface ConfigWatchOptions {
  readonly clock?: Clock | undefined;
  /**
   * Delay between a change of the file and reading it, in milliseconds.
   * @default 200
   */
  readonly settleDelay?: number | undefined;
}

/**
 * Calls `onChanged` when the contents of a file change, also by a rename, or when the file is deleted. Returns a
 * function that ends the watch. The watch does not keep the process alive.
 * @throws TenonError `config/not-found` when the folder of the file does not exist.
 */
export async function watchConfig(
  path: string,
  onChanged: () => void,
  options: ConfigWatchOptions = {},
): Promise<() => void> {
  requireArgument('`path` of watchConfig', path, checkString);
  requireArgument('`onChanged` of watchConfig', onChanged, checkFunction);
  requireKnownOptions('watchConfig', options, { clock: true, settleDelay: true });
  const { clock = systemClock, settleDelay = SETTLE_DELAY } = options;
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
  // Later events do not restart the timer, because frequent changes in the folder must not prevent the file from being
  // read.
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

/**
 * Creates watchers for the folder of the file and for the target of a link. The folder is watched, because replacing a
 * file creates another file.
 */
function createWatchers(file: string, onEvent: () => void): FSWatcher[] {
  const paths = new Set([file, resolveTarget(file)]);
  const names = new Set([...paths].map(place => basename(place)));
  const watchers: FSWatcher[] = [];
  try {
    for (const folder of new Set([...paths].map(place => dirname(place)))) {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        // Kubernetes replaces the link `..data` in the folder of the file.
        if (name === null || names.has(name) || name.startsWith('..')) onEvent();
      });
      // The deletion of the folder is a change and must not end the process.
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
