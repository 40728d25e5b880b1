import { type ChildProcess, spawn } from 'node:child_process';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { BackendTarget } from './start-gateway.js';
import { createLineSplitter, type Wires } from './wire.js';

/** A server program whose standard streams are read along, by whomever it is started. */
export interface StdioRelay {
  readonly target: Exclude<BackendTarget, () => unknown> & { readonly command: string };
  close(): Promise<void>;
}

/** Each start of the target starts the program here. */
export async function startStdioRelay(program: string, args: readonly string[], wires: Wires): Promise<StdioRelay> {
  const children = new Set<ChildProcess>();
  const server = createServer({ noDelay: true, allowHalfOpen: true }, socket => {
    const child = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
    children.add(child);
    child.once('exit', () => children.delete(child));
    connectProcess(socket, child, wires);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const relay = fileURLToPath(new URL('./relay.mjs', import.meta.url));
  return {
    target: { command: process.execPath, args: [relay, String(port)] },
    async close() {
      for (const child of children) child.kill();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

function connectProcess(socket: Socket, child: ChildProcess, wires: Wires): void {
  const wire = wires.open();
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error('the program has no standard streams');
  socket.on(
    'data',
    createLineSplitter(line => line && wire.crosses('client', JSON.parse(line))),
  );
  stdout.on(
    'data',
    createLineSplitter(line => line && wire.crosses('server', JSON.parse(line))),
  );
  socket.pipe(stdin);
  stdout.pipe(socket);
  for (const stream of [socket, stdin, stdout]) stream.on('error', () => socket.destroy());
  socket.on('close', () => stdin.end());
  child.once('exit', () => socket.end());
}
