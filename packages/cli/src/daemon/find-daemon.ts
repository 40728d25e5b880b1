import { spawn } from 'node:child_process';
import { extname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { TenonError } from 'tenon';
import packageJson from '../../package.json' with { type: 'json' };
import type { CliContext } from '../cli-context.js';
import { getFolders } from '../folders.js';
import { preparePrivateFolder, readSocketRecord, type SocketRecord } from '../sockets/socket-record.js';
import { getDaemonFile, getDaemonFolder, requestDaemon } from './daemon-request.js';
import { selectDaemonVariables } from './daemon-target.js';

/** Entry of the command: beside this folder in the sources, and beside the parts of the built command. */
const ENTRY = fileURLToPath(new URL(`../tenon${extname(import.meta.url)}`, import.meta.url));
/** Maximum time for the start of the daemon, in milliseconds. */
const START_TIMEOUT = 15_000;
const POLL_INTERVAL = 20;
const STATUS_TIMEOUT = 2000;

/** Returns the running daemon with its status. `undefined` if none responds. */
export async function findDaemon({
  env,
}: Pick<CliContext, 'env'>): Promise<{ record: SocketRecord; status: unknown } | undefined> {
  const record = await readSocketRecord(getDaemonFile(env));
  if (!record) return undefined;
  try {
    return { record, status: await requestDaemon(record, 'GET', '/status', undefined, STATUS_TIMEOUT) };
  } catch {
    return undefined;
  }
}

/**
 * Returns the daemon of this user. Starts it if it is not running, and replaces one of another version.
 *
 * @param args Options of a daemon that is started.
 */
export async function ensureDaemon(context: CliContext, args: readonly string[] = []): Promise<SocketRecord> {
  const running = await findDaemon(context);
  if (running?.record.version === packageJson.version) return running.record;
  if (running) await requestDaemon(running.record, 'POST', '/stop', undefined, STATUS_TIMEOUT).catch(() => {});
  await preparePrivateFolder(getDaemonFolder(context.env));
  startDaemon(context, args);
  const startedAt = performance.now();
  while (performance.now() - startedAt < START_TIMEOUT) {
    await pause(POLL_INTERVAL);
    const started = await findDaemon(context);
    // The daemon of another command that was started at the same time is as good.
    if (started?.record.version === packageJson.version) return started.record;
  }
  throw new TenonError('daemon/unreachable', 'the daemon did not start', {
    hint: 'run `tenon daemon run` to see the error',
  });
}

function startDaemon({ env }: CliContext, args: readonly string[]): void {
  const child = spawn(process.execPath, [...process.execArgv, ENTRY, 'daemon', 'run', ...args], {
    // The daemon must not keep the folder of a command in use.
    cwd: getDaemonFolder(env),
    // The daemon has another working folder.
    env: { ...selectDaemonVariables(env), ...(env.TENON_HOME ? { TENON_HOME: getFolders(env).settings } : {}) },
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
  });
  child.once('error', () => {});
  child.unref();
}
