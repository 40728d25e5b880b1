import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { decodePathPart } from '@tenon/base';
import type { ConfiguredServerState } from '@tenon/console/api';
import { type Host, redactSecrets } from '@tenon/host';
import { TenonError } from 'tenon';
import packageJson from '../../package.json' with { type: 'json' };
import type { CliContext } from '../cli-context.js';
import { getFolders } from '../folders.js';
import { listenOnSocket, respondJson } from '../sockets/listen-on-socket.js';
import {
  createSocketRecord,
  preparePrivateFolder,
  removeSocket,
  removeSocketRecord,
  writeSocketRecord,
} from '../sockets/socket-record.js';
import { type GatewayStatus, toServerState } from './gateway-status.js';

/** Changes of a server that the control socket accepts. */
export const SERVER_CHANGES = ['enable', 'disable', 'restart', 'reconnect'] as const;

export type ServerChange = (typeof SERVER_CHANGES)[number];

/** Gateway that a control socket describes and changes. */
export interface ControlledGateway {
  readonly host: Pick<Host, 'disableServer' | 'enableServer' | 'restartServer' | 'reconnectServer'>;
  /** Returns the parts of the status that the socket does not know. */
  readonly getStatus: () => Omit<GatewayStatus, 'pid' | 'version' | 'startedAt'>;
  /** Called after a change of a server. */
  readonly onChange: (change: ServerChange, server: ConfiguredServerState) => void;
}

/** Folder with the records of the running gateways of the user. */
export const getGatewaysFolder = (env: CliContext['env']): string => join(getFolders(env).state, 'gateways');

/**
 * Opens a socket at which commands of the same user read the state of a gateway, and enable, disable, restart and
 * reconnect its servers. Only the user can open it, and requests need the token of a private file.
 *
 * - `GET /status` responds with `GatewayStatus`.
 * - `POST /servers/NAME/CHANGE` responds with the `ConfiguredServerState` after the change.
 */
export async function openControlSocket(
  { env }: Pick<CliContext, 'env'>,
  gateway: ControlledGateway,
): Promise<{ close(): Promise<void> }> {
  const folder = getGatewaysFolder(env);
  await preparePrivateFolder(folder);
  const file = join(folder, `${process.pid}.json`);
  const record = await createSocketRecord(folder, packageJson.version);
  const startedAt = new Date().toISOString();
  const getStatus = (): GatewayStatus => ({
    pid: process.pid,
    version: packageJson.version,
    startedAt,
    ...gateway.getStatus(),
  });
  const http = await listenOnSocket(record, (request, response) => {
    void respond(request, response, getStatus, gateway);
  });
  await writeSocketRecord(file, record);
  return {
    async close() {
      await removeSocketRecord(file, record).catch(() => {});
      const closed = new Promise<void>(resolve => http.close(() => resolve()));
      http.closeAllConnections();
      await closed;
      await removeSocket(record).catch(() => {});
    },
  };
}

async function respond(
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
  getStatus: () => GatewayStatus,
  gateway: ControlledGateway,
): Promise<void> {
  const send = respondJson.bind(undefined, response);
  try {
    if (method === 'GET' && url === '/status') return void send(200, getStatus());
    const [, path = '', change = ''] = /^\/servers\/([^/]+)\/(\w+)$/.exec(url) ?? [];
    const known = SERVER_CHANGES.find(each => each === change);
    if (method !== 'POST' || known === undefined) return void send(404, { reason: 'unknown request' });
    send(200, await applyServerChange(gateway, decodePathPart(path), known));
  } catch (error) {
    const { code, summary, hint } = TenonError.from(error);
    send(409, { code, reason: redactSecrets(summary), hint });
  }
}

/** Changes a server, and tells it. The error for one that the gateway does not run names the reason. */
export async function applyServerChange(
  { host, getStatus, onChange }: ControlledGateway,
  name: string,
  change: ServerChange,
): Promise<ConfiguredServerState> {
  const changes = {
    enable: () => host.enableServer(name),
    disable: () => host.disableServer(name),
    restart: () => host.restartServer(name),
    reconnect: () => host.reconnectServer(name),
  };
  try {
    const server = toServerState(await changes[change]());
    onChange(change, server);
    return server;
  } catch (error) {
    const found = getStatus().servers.find(server => server.name === name);
    if (found === undefined || TenonError.from(error).code !== 'host/no-such-server') throw error;
    throw new TenonError('cli/unusable-server', `the gateway does not run the server "${name}": ${found.reason}`, {
      hint: 'correct or enable its entry in the configuration, which the gateway then reads again',
    });
  }
}
