import { type Change, type Client, type ClientOptions, connect, type Events, type TenonError } from 'tenon';
import { createHost, type Host, type HostOptions } from 'tenon/host';
import { expect } from 'vitest';
import { isRunning } from '../interop/process.js';
import { soon } from '../interop/soon.js';
import type { Faulty } from './faulty.js';

/** A host of servers of which some misbehave, one client of it, and what both were told. */
export interface Scene {
  readonly host: Host;
  readonly client: Client;
  readonly logs: Events['log'][];
  /** The times at which the list of tools was said to have changed. */
  readonly changes: number[];
  /** What the host was told of that went wrong. */
  readonly problems: TenonError[];
  /** Closes both. Fails when a process is left. Returns how long it took, in milliseconds. */
  close(): Promise<number>;
}

export interface Playing extends Partial<HostOptions> {
  /** The client's. */
  readonly revision: string;
  readonly elicit?: NonNullable<ClientOptions['elicit']>;
}

export async function play(servers: Readonly<Record<string, Faulty>>, playing: Playing): Promise<Scene> {
  const { revision, elicit, ...options } = playing;
  const problems: TenonError[] = [];
  const host = await createHost({
    prefix: 'auto',
    ...options,
    servers: Object.fromEntries(Object.entries(servers).map(([name, { server }]) => [name, server])),
    onProblem: problem => problems.push(problem),
  });
  const client = await connect(host.asServer(), { revision, logLevel: 'debug', ...(elicit ? { elicit } : {}) });
  const logs: Events['log'][] = [];
  const changes: number[] = [];
  client.on('log', log => logs.push(log));
  const stop = new AbortController();
  const watching = watch(client.watch({ tools: true }, { signal: stop.signal }), changes);
  const close = async () => {
    stop.abort();
    await watching;
    await client.close();
    const since = Date.now();
    await host.close();
    const took = Date.now() - since;
    const left = Object.values(servers).flatMap(({ pids }) => pids.filter(isRunning));
    // One that was killed is there until its parent has heard of it.
    if (left.length > 0) await soon(() => expect(left.filter(isRunning)).toEqual([]));
    return took;
  };
  return { host, client, logs, changes, problems, close };
}

async function watch(told: AsyncIterable<Change>, changes: number[]): Promise<void> {
  for await (const _ of told) changes.push(Date.now());
}

/** The list of tools in one page: the outer names, which servers are missing and why, and how long it took. */
export async function listed({ client }: Scene): Promise<{ names: string[]; absent: Absent[]; took: number }> {
  const since = Date.now();
  const { tools, _meta = {} } = await client.call('tools/list');
  const absent = (_meta['tenon/absent'] ?? []) as Absent[];
  return { names: tools.map(({ name }) => name), absent, took: Date.now() - since };
}

export interface Absent {
  readonly server: string;
  readonly why: string;
}
