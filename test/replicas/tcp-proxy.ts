import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** A TCP proxy on loopback whose connections the tests slow down or interrupt. */
export interface TcpProxy {
  readonly port: number;
  /** Delay of each chunk in both directions together, in milliseconds. */
  delay: number;
  /** Stops to pass on data, as a network that loses all packets. Connections stay open. */
  interrupt(): void;
  /** Ends the interruption. Connections from before it are closed. */
  restore(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isInterrupted = false;
  const proxy = {
    delay: 0,
    interrupt() {
      isInterrupted = true;
    },
    restore() {
      isInterrupted = false;
      for (const socket of [...sockets]) socket.destroy();
    },
  };
  const advance = (from: Socket, to: Socket, getDelay: () => number) => {
    sockets.add(from);
    let last: Promise<unknown> = Promise.resolve();
    from.on('data', chunk => {
      const [ready, isLost] = [getDelay() > 0 ? setTimeout(getDelay()) : undefined, isInterrupted];
      last = last.then(() => ready).then(() => isLost || to.destroyed || to.write(chunk));
    });
    from.on('error', () => {});
    from.on('close', () => {
      sockets.delete(from);
      last.then(() => to.destroy());
    });
  };
  const server = createServer(client => {
    const upstream = connect(target, '127.0.0.1');
    advance(client, upstream, () => proxy.delay);
    advance(upstream, client, () => 0);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(proxy, {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      for (const socket of [...sockets]) socket.destroy();
    },
  });
}
