import { createHost, type Host, type HostOptions } from '@tenon/host';
import type { FakeClock } from '@tenon/testing';
import { type ChangeEvent, type Client, type ClientEvents, type ClientOptions, connect, type TenonError } from 'tenon';
import { expect } from 'vitest';
import { isRunning } from '../interop/process.js';
import { retryUntilPasses } from '../interop/retry.js';
import type { FaultyServer } from './faulty-server.js';

/** A host of servers of which some misbehave, one client of it, and what both were told. */
export interface HostFixture {
  readonly host: Host;
  readonly client: Client;
  readonly logs: ClientEvents['log'][];
  /** The times at which the list of tools was said to have changed. */
  readonly changes: number[];
  /** What the host was told of that went wrong. */
  readonly errors: TenonError[];
  /** Closes both. Fails when a process is left. */
  close(): Promise<void>;
}

export interface HostFixtureOptions extends Partial<HostOptions> {
  /** The client's. */
  readonly version: string;
  readonly elicit?: NonNullable<ClientOptions['elicit']>;
}

export async function startHost(
  servers: Readonly<Record<string, FaultyServer>>,
  hostOptions: HostFixtureOptions,
): Promise<HostFixture> {
  const { version: protocolVersion, elicit, ...options } = hostOptions;
  const errors: TenonError[] = [];
  const host = await createHost({
    prefix: 'auto',
    ...options,
    servers: Object.fromEntries(Object.entries(servers).map(([name, { server }]) => [name, server])),
    onError: error => errors.push(error),
  });
  const client = await connect(host.toServer(), { protocolVersion, logLevel: 'debug', ...(elicit ? { elicit } : {}) });
  const logs: ClientEvents['log'][] = [];
  const changes: number[] = [];
  client.on('log', log => logs.push(log));
  const stop = new AbortController();
  const watching = watch(client.watch({ tools: true }, { signal: stop.signal }), changes);
  const close = async () => {
    stop.abort();
    await watching;
    await client.close();
    await host.close();
    const running = Object.values(servers).flatMap(({ pids }) => pids.filter(isRunning));
    // One that was killed is there until its parent has heard of it.
    if (running.length > 0) await retryUntilPasses(() => expect(running.filter(isRunning)).toEqual([]));
  };
  return { host, client, logs, changes, errors, close };
}

async function watch(changeEvents: AsyncIterable<ChangeEvent>, changes: number[]): Promise<void> {
  for await (const _ of changeEvents) changes.push(Date.now());
}

/** The list of tools in one page: the outer names, and which servers are missing, with the reason. */
export async function listTools({ client }: HostFixture): Promise<{ names: string[]; absent: ReportedAbsence[] }> {
  const { tools, _meta = {} } = await client.call('tools/list');
  const absent = (_meta['dev.tenon/unavailable'] ?? []) as ReportedAbsence[];
  return { names: tools.map(({ name }) => name), absent };
}

export interface ReportedAbsence {
  readonly server: string;
  readonly reason: string;
}

/** Lets time pass until this comes to its end. */
export async function advanceTime(clock: FakeClock, work: Promise<unknown>, step = 100): Promise<void> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  await retryUntilPasses(() => {
    if (!isOver) clock.advance(step);
    expect(isOver).toBe(true);
  });
}
