import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost, type Host, type HostServer } from 'tenon/host';
import { type HttpServer, serveHttp } from 'tenon/node';
import { server as notes } from '../../examples/notes/server.js';
import { v2Handler, v2Stateful } from '../interop/fixtures/sdk-v2-http.js';
import { official, program } from '../interop/process.js';

/** Servers of many hands as a host names them: those of npm as processes, those of the SDK v2 and ours over HTTP. */
export interface Neighbours {
  readonly servers: Readonly<Record<string, HostServer>>;
  /** What the filesystem server may see, with `hello.txt` in it. */
  readonly folder: string;
  close(): Promise<void>;
}

export async function neighbours(): Promise<Neighbours> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'tenon-host-')));
  await writeFile(join(folder, 'hello.txt'), 'hello from a file');
  const [newest, sessions, ours] = await Promise.all([
    v2Handler({ legacy: 'reject' }),
    v2Stateful(),
    serveHttp(notes, { port: 0 }),
  ]);
  const node = (...args: string[]) => ({ command: process.execPath, args });
  return {
    folder,
    servers: {
      everything: node(official('server-everything'), 'stdio'),
      filesystem: { ...node(official('server-filesystem'), folder), roots: [] },
      memory: { ...node(official('server-memory')), env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } },
      newest: { url: `${newest.origin}/mcp` },
      sessioned: { url: `${sessions.origin}/mcp` },
      notes: { url: ours.url },
    },
    async close() {
      await Promise.all([newest.close(), sessions.close(), ours.close({ deadline: 0 })]);
      await rm(folder, { recursive: true });
    },
  };
}

/** The gateway to them, on each of the transports. */
export interface Gateway {
  readonly http: HttpServer;
  /** What is started where a client wants a process: arguments of Node. */
  readonly stdio: readonly string[];
  readonly host: Host;
  readonly problems: string[];
  close(): Promise<void>;
}

export async function gatewayTo({ servers }: Neighbours): Promise<Gateway> {
  const problems: string[] = [];
  const host = await createHost({
    prefix: 'auto',
    servers,
    name: 'gateway',
    onProblem: ({ message }) => problems.push(message),
  });
  const http = await serveHttp(host.asServer(), { port: 0 });
  return {
    host,
    http,
    problems,
    stdio: [...program(new URL('./fixtures/gateway.ts', import.meta.url)), JSON.stringify(servers)],
    async close() {
      await http.close({ deadline: 0 });
      await host.close();
    },
  };
}
