import { join } from 'node:path';
import type { CliContext } from '../cli-context.js';
import { getFolders } from '../folders.js';
import type { SocketRecord } from '../sockets/socket-record.js';
import { requestSocket, type SocketPeer } from '../sockets/socket-request.js';

const DAEMON: SocketPeer = { name: 'the daemon', unreachable: 'daemon/unreachable', refused: 'daemon/refused' };

export const getDaemonFolder = (env: CliContext['env']): string => join(getFolders(env).state, 'daemon');

/** Returns the path of the record of the daemon. */
export const getDaemonFile = (env: CliContext['env']): string => join(getDaemonFolder(env), 'daemon.json');

/** Sends a request to the daemon itself, and returns the JSON of its response. Rejects if it is not running. */
export const requestDaemon = (
  record: SocketRecord,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
  timeout?: number,
): Promise<unknown> =>
  requestSocket(record, DAEMON, { method, path, body, ...(timeout === undefined ? {} : { timeout }) });
