import { fakeClock } from '@tenon/testing';
import fc from 'fast-check';
import { type Context, memoryStores, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../packages/base/src/json/json-object.js';
import { loadRuntime } from '../../packages/tenon/src/execution/lazy-run.js';
import { isTerminal } from '../../packages/tenon/src/protocol/tasks.js';
import { takeRuns } from '../support/extent.js';
import { startProcess, type TaskProcess, waitTurns } from './process.js';
import { recordStores, type StoreRecorder } from './store-recorder.js';

// A server imports these modules when it first needs them, which takes real time. The test counts time in turns.
await loadRuntime();
await import('../../packages/tenon/src/extensions/tasks/task-service.js');
await import('../../packages/tenon/src/schemas/compile-check.js');

/** What a handler does, one after the other. */
type Act = 'step' | 'ask' | 'ask two' | 'step beside ask';
/** What happens meanwhile; `at` chooses a process and a task. */
type Event =
  | { kind: 'pass'; ms: number }
  | { kind: 'answer'; how: 'all' | 'one' | 'unknown' | 'wrong' | 'again'; at: number }
  | { kind: 'cancel' | 'hold' | 'resume' | 'start' | 'close' | 'create'; at: number }
  | { kind: 'die'; at: number; calls: number; after: boolean };

const input = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } as const;
const at = fc.nat(5);
const acts = fc.array(fc.constantFrom<Act>('step', 'step', 'ask', 'ask two', 'step beside ask'), { maxLength: 5 });
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(1, 700, 6000, 20_000) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      how: fc.constantFrom('all' as const, 'all', 'one', 'unknown', 'wrong', 'again'),
      at,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('cancel' as const, 'hold', 'hold', 'resume', 'resume', 'start', 'close', 'create'),
      at,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('die' as const), at, calls: fc.nat(6), after: fc.boolean() }),
  },
);

/** One life of a few tasks among processes that come and go. */
class TaskSimulation {
  readonly clock = fakeClock(1_000_000);
  readonly seen: StoreRecorder = recordStores({ ...memoryStores({ clock: this.clock }), durable: true });
  readonly processes: TaskProcess[] = [];
  readonly tasks: string[] = [];
  readonly answered = new Map<string, JsonObject>();
  readonly cancelled = new Set<string>();
  readonly faults: string[] = [];
  readonly acts: readonly Act[];

  constructor(plan: readonly Act[]) {
    this.acts = plan;
  }

  get running(): TaskProcess[] {
    return this.processes.filter(({ running }) => running);
  }

  async start(): Promise<void> {
    const settings = { leaseTtl: 5000, suspendTimeout: 3000, maxRunning: 2, ttl: 10_000_000, maxTtl: 10_000_000 };
    const job = (isAlive: () => boolean) => ({
      job: tool({ task: 'required', run: (_, ctx) => this.#perform(ctx, isAlive) }),
    });
    const { length } = this.processes;
    this.processes.push(await startProcess(length, this.seen.stores, this.clock.now(), job, settings));
  }

  async #perform(ctx: Context, isAlive: () => boolean): Promise<string> {
    const messages: unknown[] = [];
    const done: string[] = [];
    const step = async (name: string) => {
      const value = await ctx.step(name, async () => {
        if (!isAlive()) return new Promise<string>(() => {});
        const id = this.#of(ctx);
        if (this.seen.recorded.has(`${id} ${name}`)) this.faults.push(`${name} runs again`);
        const early = done.filter(before => !this.seen.recorded.has(`${id} ${before}`));
        if (early.length > 0) this.faults.push(`${name} runs before ${early} is written down`);
        await Promise.resolve();
        return name;
      });
      done.push(name);
      return value;
    };
    const ask = async (message: string) => (await ctx.elicit({ message, input })).content?.a;
    for (const [n, act] of this.acts.entries()) {
      if (act === 'step') messages.push(await step(`step ${n}`));
      else if (act === 'ask') messages.push(await ask(`ask ${n}`));
      else if (act === 'ask two') messages.push(...(await Promise.all([ask(`ask ${n}`), ask(`more ${n}`)])));
      else messages.push(...(await Promise.all([ask(`ask ${n}`), step(`step ${n}`)])));
    }
    return messages.join(', ');
  }

  /** The task that a handler works on: its progress token is the id where the client gave none. */
  #of(ctx: Context): string {
    return String(ctx.meta.progressToken);
  }

  get expected(): string {
    return this.acts
      .flatMap((act, n) => {
        if (act === 'step') return [`step ${n}`];
        if (act === 'ask') return [`to ask ${n}`];
        return act === 'ask two' ? [`to ask ${n}`, `to more ${n}`] : [`to ask ${n}`, `step ${n}`];
      })
      .join(', ');
  }

  async happen(event: Event): Promise<void> {
    if (event.kind === 'pass') return this.advance(event.ms);
    const some = event.kind === 'resume' ? this.processes : this.running;
    const process = some[event.at % Math.max(1, some.length)];
    const task = this.tasks[event.at % Math.max(1, this.tasks.length)];
    if (event.kind === 'start') return this.processes.length < 6 ? this.start() : undefined;
    if (process === undefined) return;
    if (event.kind === 'hold') process.hold();
    else if (event.kind === 'resume') process.resume();
    else if (event.kind === 'close') process.close();
    else if (event.kind === 'die') process.dieSoon(event.calls, event.after);
    else if (event.kind === 'create') await this.create(process);
    else if (task !== undefined && event.kind === 'cancel') await this.cancel(process, task);
    else if (task !== undefined && event.kind === 'answer') await this.answer(process, task, event.how);
  }

  async create({ caller }: TaskProcess): Promise<void> {
    if (this.tasks.length >= 3) return;
    const { result } = (await soon(caller.call('tools/call', { name: 'job' }))) ?? {};
    if (result?.resultType === 'task') this.tasks.push(String(result.taskId));
  }

  async cancel({ caller }: TaskProcess, taskId: string): Promise<void> {
    this.cancelled.add(taskId);
    await soon(caller.call('tasks/cancel', { taskId }));
  }

  async answer({ caller }: TaskProcess, taskId: string, how: string): Promise<void> {
    const { result } = (await soon(caller.call('tasks/get', { taskId }))) ?? {};
    const open = Object.entries((result?.inputRequests ?? {}) as { [key: string]: { params: JsonObject } });
    const good = open.map(([key, { params }]) => [key, { action: 'accept', content: { a: `to ${params.message}` } }]);
    const all = Object.fromEntries(good) as JsonObject;
    const some: { [how: string]: JsonObject } = {
      all,
      one: Object.fromEntries(good.slice(0, 1)),
      unknown: { 'ask-77': { action: 'accept', content: { a: 'no' } } },
      wrong: Object.fromEntries(open.map(([key]) => [key, { role: 'user' }])),
      again: (this.answered.get(taskId) ?? {}) as JsonObject,
    };
    const taken = await soon(caller.call('tasks/update', { taskId, inputResponses: some[how] }));
    if (how === 'all' && taken?.result && good.length > 0) this.answered.set(taskId, again(all));
  }

  async advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 1000) {
      this.clock.advance(Math.min(left, 1000));
      for (const process of this.processes) process.advance(Math.min(left, 1000));
      await waitTurns(3);
    }
  }

  /** All goes well from here on: every task comes to its end. */
  async finish(): Promise<void> {
    for (const process of this.processes) process.resume();
    await waitTurns();
    await this.start();
    for (let round = 0; round < 40 && !this.isOver; round++) {
      for (const id of this.tasks) await this.answer(this.running.at(-1) as TaskProcess, id, 'all');
      await this.advance(3000);
    }
  }

  get isOver(): boolean {
    return this.tasks.every(id => isTerminal(this.seen.statuses.get(id) ?? 'working'));
  }
}

/** The answers that were given, with other words. */
const again = (answers: JsonObject): JsonObject =>
  Object.fromEntries(Object.keys(answers).map(key => [key, { action: 'accept', content: { a: 'another' } }]));

/** The answer, unless the process dies meanwhile or is held up. */
function soon<T>(answer: Promise<T>): Promise<T | undefined> {
  return Promise.race([answer, waitTurns().then(() => undefined)]);
}

describe('tasks in any order of events and process failures', () => {
  it('follow the allowed transitions, once [ext-tasks.status-transitions ext-tasks.status-values ext-tasks.terminal-immutable ext-tasks.input-keys-unique-lifetime tasks.status.transitions tasks.status.terminal-final]', async () => {
    let completed = 0;
    await fc.assert(
      fc.asyncProperty(acts, fc.array(event, { minLength: 4, maxLength: 25 }), async (plan, events) => {
        const servers = new TaskSimulation(plan);
        await servers.start();
        await servers.start();
        await servers.create(servers.processes[0] as TaskProcess);
        for (const each of events) {
          await servers.happen(each);
          await waitTurns();
        }
        await servers.finish();
        expect(servers.faults).toEqual([]);
        expect(servers.seen.faults).toEqual([]);
        expect([...servers.seen.ends.values()].every(ends => ends === 1)).toBe(true);
        const { caller } = servers.running.at(-1) as TaskProcess;
        for (const taskId of servers.tasks) {
          const { result } = await caller.call('tasks/get', { taskId });
          if (servers.cancelled.has(taskId) && result?.status === 'cancelled') continue;
          expect(result).toMatchObject({ status: 'completed', result: { content: [{ text: servers.expected }] } });
          completed++;
        }
        const odd = servers.processes.flatMap(({ errors }) => errors);
        expect(odd.map(({ message }) => message)).toEqual([]);
      }),
      { numRuns: takeRuns(300) },
    );
    expect(completed).toBeGreaterThan(20);
  });
});
