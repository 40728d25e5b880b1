import { stringifyJson } from '@tenon/base';
import type { ComparedRun, ComparisonView } from '@tenon/console/api';
import { protocolVersions, TenonError } from 'tenon';
import { createUsageError } from '../usage-error.js';
import type { ChangeFeed } from './change-feed.js';
import { type ConsoleCalls, createErrorView } from './console-calls.js';
import type { ConsoleServers } from './console-servers.js';
import { dropOldest } from './drop-oldest.js';
import type { InputInbox } from './input-inbox.js';

/** Maximum number of comparisons that are kept. */
const MAX_COMPARISONS = 200;

/** Parts of the console that a comparison uses. */
export interface ComparisonParts {
  readonly feed: ChangeFeed;
  readonly servers: ConsoleServers;
  readonly calls: ConsoleCalls;
  readonly inbox: InputInbox;
}

/** Calls that run again on other protocol versions, each on a connection of its own. */
export class ComparedCalls {
  readonly #parts: ComparisonParts;
  readonly #runs = new Map<number, Map<string, ComparedRun>>();

  constructor(parts: ComparisonParts) {
    this.#parts = parts;
  }

  /** Calls with the same params on other versions. Returns at once. A version that already has a call gets another one. */
  start(id: number, versions: readonly string[]): ComparisonView {
    const { calls } = this.#parts;
    const { protocolVersion } = calls.getView(id);
    const unknown = versions.find(version => !(protocolVersions as readonly string[]).includes(version));
    if (unknown !== undefined)
      throw createUsageError(
        `versions: unknown version ${JSON.stringify(unknown)}`,
        `use ${protocolVersions.join(', ')}`,
      );
    const wanted = [...new Set(versions)].filter(version => version !== protocolVersion);
    const isBusy = (version: string) => /^(?:approval|connecting)$/.test(this.#runs.get(id)?.get(version)?.state ?? '');
    const started = wanted.filter(version => !isBusy(version));
    for (const version of started) this.#change(id, version, { state: 'approval', call: null, error: null });
    void this.#run(id, started);
    return this.#createView(id);
  }

  async #run(id: number, versions: readonly string[]): Promise<void> {
    if (versions.length === 0) return;
    if (await this.#isAllowed(id, versions)) {
      await Promise.all(versions.map(version => this.#callOn(id, version)));
      return;
    }
    for (const version of versions) this.#change(id, version, { state: 'refused' });
  }

  /** A call that may have an effect has it once more for each version, so the user decides. */
  async #isAllowed(id: number, versions: readonly string[]): Promise<boolean> {
    const { servers, calls, inbox } = this.#parts;
    const { server, method, name, params } = calls.read(id);
    if (method !== 'tools/call') return true;
    const { readOnlyHint, idempotentHint } = servers.findTool(server, name)?.annotations ?? {};
    if (readOnlyHint === true || idempotentHint === true) return true;
    return inbox.approve({
      server,
      call: id,
      message: `Call ${name} again on ${versions.join(', ')}?`,
      details: `The tool is not marked as read-only or idempotent, so each call may have its effect again.\n${stringifyJson(params.arguments ?? {}, 2)}`,
    });
  }

  async #callOn(id: number, version: string): Promise<void> {
    const { servers, calls } = this.#parts;
    this.#change(id, version, { state: 'connecting' });
    try {
      const { server } = calls.getView(id);
      const connection = await servers.openVersion(server, version);
      try {
        const { id: call } = calls.repeat(connection, id);
        this.#change(id, version, { state: 'called', call });
        await calls.waitForEnd(call);
      } finally {
        await connection.close();
      }
    } catch (thrown) {
      this.#change(id, version, { state: 'failed', error: createErrorView(TenonError.from(thrown)) });
    }
  }

  #change(id: number, version: string, changes: Partial<ComparedRun>): void {
    const runs = this.#runs.get(id) ?? new Map<string, ComparedRun>();
    const before = runs.get(version) ?? { protocolVersion: version, state: 'approval', call: null, error: null };
    runs.set(version, { ...before, ...changes });
    this.#runs.set(id, runs);
    const { feed } = this.#parts;
    for (const oldest of dropOldest(this.#runs, MAX_COMPARISONS)) feed.delete(`comparison ${oldest}`);
    feed.set(`comparison ${id}`, { type: 'comparison', comparison: this.#createView(id) });
  }

  #createView(id: number): ComparisonView {
    return { call: id, runs: [...(this.#runs.get(id)?.values() ?? [])] };
  }
}
