import { fileURLToPath } from 'node:url';
import type { HostServer } from '@tenon/host';

const program = fileURLToPath(new URL('./fixtures/faulty.mjs', import.meta.url));

/** How the server behaves; see the program. Without a word of it: well, and its tools do what their names say. */
export interface FaultyServerPlan {
  readonly version: string;
  /** `hang`, `exit`, `garbage`, or `brief`: it exits soon after it has opened. */
  readonly start?: string;
  /** What it does when its tools are listed. */
  readonly lists?: string;
  /** For `slow`, in milliseconds. */
  readonly after?: number;
  readonly tools?: readonly string[];
}

/** A server that misbehaves, and the processes that were started of it, in their order. */
export interface FaultyServer {
  readonly server: HostServer & { readonly command: string };
  readonly pids: readonly number[];
}

export function createFaultyServer(plan: FaultyServerPlan, settings: Partial<HostServer> = {}): FaultyServer {
  const pids: number[] = [];
  const stderr = (line: string) => {
    const messages = /^announce pid (\d+)$/.exec(line);
    if (messages) pids.push(Number(messages[1]));
  };
  const args = [program, JSON.stringify(plan)];
  return { server: { command: process.execPath, args, stderr, ...settings } as FaultyServer['server'], pids };
}
