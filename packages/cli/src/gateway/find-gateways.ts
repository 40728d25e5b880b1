import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { encodePathPart } from '@tenon/base';
import { isProcessRunning } from '@tenon/base/node';
import type { ConfiguredServerState } from '@tenon/console/api';
import { TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { readSocketRecord, removeSocket, type SocketRecord } from '../sockets/socket-record.js';
import { requestSocket, type SocketPeer } from '../sockets/socket-request.js';
import { getGatewaysFolder, type ServerChange } from './control-socket.js';
import type { GatewayStatus } from './gateway-status.js';

/** Running gateway with its socket. */
export interface RunningGateway {
  readonly record: SocketRecord;
  readonly status: GatewayStatus;
}

const GATEWAY: SocketPeer = { name: 'the gateway', unreachable: 'cli/no-gateway', refused: 'cli/no-gateway' };
/** Time to wait for the status of a gateway, in milliseconds. */
const STATUS_TIMEOUT = 5000;
/** Time to wait for a change. Running calls have 10 seconds to finish, and then the server stops and starts. */
const CHANGE_TIMEOUT = 90_000;

/** Finds the running gateways of the user. Removes the files of gateways that did not end properly. */
export async function findGateways({ env }: Pick<CliContext, 'env'>): Promise<RunningGateway[]> {
  const folder = getGatewaysFolder(env);
  const files = (await readdir(folder).catch(() => [])).filter(name => /^\d+\.json$/.test(name));
  const found = files.map(async (name): Promise<RunningGateway[]> => {
    const file = join(folder, name);
    const record = await readSocketRecord(file);
    if (record === undefined) return [];
    try {
      const request = { method: 'GET', path: '/status', timeout: STATUS_TIMEOUT } as const;
      return [{ record, status: (await requestSocket(record, GATEWAY, request)) as GatewayStatus }];
    } catch (error) {
      if (isProcessRunning(record.pid)) throw error;
      await Promise.all([rm(file, { force: true }), removeSocket(record)]);
      return [];
    }
  });
  return (await Promise.all(found)).flat();
}

/** Changes a server of a gateway, and resolves with its state after the change. */
export async function changeServer(
  { record }: RunningGateway,
  name: string,
  change: ServerChange,
): Promise<ConfiguredServerState> {
  const path = `/servers/${encodePathPart(name)}/${change}`;
  const request = { method: 'POST', path, timeout: CHANGE_TIMEOUT } as const;
  return (await requestSocket(record, GATEWAY, request)) as ConfiguredServerState;
}

/** Creates the error for a user without a running gateway. */
export const createNoGatewayError = (pid?: number): TenonError =>
  new TenonError('cli/no-gateway', pid === undefined ? 'no gateway is running' : `no gateway has the process ${pid}`, {
    hint:
      pid === undefined
        ? 'start one with `tenon gateway`; it must run as the same user, and without --no-control'
        : 'list the gateways with `tenon gateway status`',
  });
