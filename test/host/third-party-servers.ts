import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost, type Host, type HostServer } from '@tenon/host';
import { type HttpServer, serveHttp } from 'tenon/node';
import { startV2Handler, startV2Stateful } from '../interop/fixtures/sdk-v2-http.js';
import { bundleProgram, findOfficialServer } from '../interop/process.js';
import { importNotes } from '../support/import-notes.js';

/** Servers of many hands as a host names them: those of npm as processes, those of the SDK v2 and ours over HTTP. */
export interface ThirdPartyServers {
  readonly servers: Readonly<Record<string, HostServer>>;
  /** What the filesystem server may see, with `hello.txt` in it. */
  readonly folder: string;
  close(): Promise<void>;
}

export async function startThirdPartyServers(): Promise<ThirdPartyServers> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'tenon-host-')));
  await writeFile(join(folder, 'hello.txt'), 'hello from a file');
  const [newest, sessions, ours] = await Promise.all([
    startV2Handler({ legacy: 'reject' }),
    startV2Stateful(),
    serveHttp(await importNotes(), { port: 0 }),
  ]);
  const node = (...args: string[]) => ({ command: process.execPath, args });
  return {
    folder,
    servers: {
      everything: node(findOfficialServer('server-everything'), 'stdio'),
      filesystem: { ...node(findOfficialServer('server-filesystem'), folder), roots: [] },
      memory: { ...node(findOfficialServer('server-memory')), env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } },
      newest: { url: `${newest.origin}/mcp` },
      sessioned: { url: `${sessions.origin}/mcp` },
      notes: { url: ours.url },
    },
    async close() {
      await Promise.all([newest.close(), sessions.close(), ours.close({ timeout: 0 })]);
      await rm(folder, { recursive: true, maxRetries: 10 });
    },
  };
}

/** The gateway to them, on each of the transports. */
export interface StartedGateway {
  readonly http: HttpServer;
  /** What is started where a client wants a process: arguments of Node. */
  readonly stdio: readonly string[];
  readonly host: Host;
  readonly errors: string[];
  close(): Promise<void>;
}

export async function startGatewayTo({ servers }: ThirdPartyServers): Promise<StartedGateway> {
  const errors: string[] = [];
  const host = await createHost({
    prefix: 'auto',
    servers,
    name: 'gateway',
    onError: ({ message }) => errors.push(message),
  });
  const http = await serveHttp(host.toServer(), { port: 0 });
  return {
    host,
    http,
    errors,
    stdio: [...bundleProgram(new URL('./fixtures/gateway.ts', import.meta.url)), JSON.stringify(servers)],
    async close() {
      await http.close({ timeout: 0 });
      await host.close();
    },
  };
}
