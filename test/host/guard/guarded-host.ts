import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost, type Host, type NodeHostOptions, type ScreeningReport } from '@tenon/host';
import { type Client, type ClientOptions, connect, TenonError } from 'tenon';
import { expect, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../packages/base/src/json/json-object.js';
import { sendRequest } from '../../input-requests/wire.js';
import { retryUntilPasses } from '../../interop/retry.js';

export const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;
/** Those that have forms. */
export const WITH_FORMS = VERSIONS.slice(2);

/** A folder that goes with the test. */
export async function createFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'tenon-guard-'));
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 10 }));
  return path;
}

export interface GuardedHost {
  readonly host: Host;
  readonly errors: TenonError[];
  readonly screeningReports: ScreeningReport[];
  /** A client of the host, that goes with the test. */
  client(options?: ClientOptions): Promise<Client>;
}

/** A host that goes with the test. */
export async function startGuardedHost(options: NodeHostOptions): Promise<GuardedHost> {
  const errors: TenonError[] = [];
  const screeningReports: ScreeningReport[] = [];
  const host = await createHost({
    prefix: 'auto',
    onError: error => errors.push(error),
    onScreeningReport: finding => screeningReports.push(finding),
    ...options,
  });
  onTestFinished(() => host.close());
  return {
    host,
    errors,
    screeningReports,
    async client(of = {}) {
      const client = await connect(host.toServer(), { protocolVersion: '2026-07-28', ...of });
      onTestFinished(() => client.close());
      return client;
    },
  };
}

/** The names of the tools that are offered. */
export async function listToolNames(client: Pick<Client, 'call'>): Promise<string[]> {
  return (await client.call('tools/list')).tools.map(({ name }) => name);
}

/** What came of something: the text of its result, or the code and the words of its error. */
export async function getOutcome(work: Promise<unknown>): Promise<string> {
  try {
    const result = (await work) as { content?: readonly { text?: string }[]; isError?: boolean };
    const text = (result.content ?? []).map(block => block.text ?? '').join('');
    return result.isError ? `refused: ${text}` : text;
  } catch (error) {
    const { rpcCode, code, summary } = TenonError.from(error);
    return `${rpcCode ?? code}: ${summary}`;
  }
}

/** Lists the resources of which a listener of the newest protocol version is notified. */
export async function collectNotifications(host: Host, ...uris: string[]): Promise<unknown> {
  const notified: JsonObject[] = [];
  const params = { notifications: { resourceSubscriptions: uris, toolsListChanged: true } };
  let leave = () => {};
  const leaves = (listener: () => void) => {
    leave = listener;
  };
  void sendRequest(host.toServer(), 'subscriptions/listen', params, { notified, leaves });
  const { params: response } = await retryUntilPasses(() => {
    expect(notified).toHaveLength(1);
    return notified[0] as { params: { notifications: { resourceSubscriptions?: string[] } } };
  });
  leave();
  return response.notifications.resourceSubscriptions ?? [];
}

/** The events of a record, each in one word, or those of one server. */
export async function readAuditMethods(path: string, server?: string): Promise<string[]> {
  const lines = (await readFile(path, 'utf8')).trim().split('\n');
  const events = lines.map(line => JSON.parse(line) as { action?: string; server?: string; name?: string });
  return events.flatMap(event =>
    event.action !== undefined && (server === undefined || event.server === server)
      ? [`${event.action} ${event.name}`]
      : [],
  );
}
