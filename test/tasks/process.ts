import { type FakeClock, fakeClock } from '@tenon/testing';
import { createServer, type ServerDefinition, type Stores, type TenonError, tasks } from 'tenon';
import {
  connectTaskClient,
  type TaskTestClient,
} from '../../packages/tenon/src/extensions/tasks/fixtures/task-client.js';

/** A process that serves, as far as the others see it: it can be held up, and it can die at any of its calls to a store. */
export interface TaskProcess {
  readonly name: number;
  readonly caller: TaskTestClient;
  readonly errors: TenonError[];
  readonly alive: boolean;
  readonly running: boolean;
  /** Dies at one of its next calls to the store: before that is done, or after. */
  dieSoon(calls: number, after: boolean): void;
  /** Comes no further, and hears nothing, until it is resumed. */
  hold(): void;
  resume(): void;
  /** Time passes; for one that is held up, all at once when it is resumed. */
  advance(ms: number): void;
  close(): void;
}

const never = new Promise<never>(() => {});

export async function startProcess(
  name: number,
  shared: Stores,
  now: number,
  tools: (isAlive: () => boolean) => NonNullable<ServerDefinition['tools']>,
  settings: Parameters<typeof tasks>[0],
): Promise<TaskProcess> {
  const clock: FakeClock = fakeClock(now);
  let alive = true;
  let dies: { calls: number; after: boolean } | undefined;
  let held: { readonly over: Promise<void>; resume(): void } | undefined;
  let missed = 0;
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    await held?.over;
    if (dies && dies.calls-- <= 0) {
      if (dies.after) await work();
      alive = false;
    }
    return alive ? work() : never;
  };
  const { values, bus } = shared;
  const stores: Stores = {
    ...{ durable: true, close: async () => {} },
    values: {
      get: key => guarded(() => values.get(key)),
      put: (...args) => guarded(() => values.put(...args)),
      delete: (...args) => guarded(() => values.delete(...args)),
      list: (...args) => guarded(() => values.list(...args)),
    },
    bus: {
      publish: (...args) => guarded(() => bus.publish(...args)),
      // News that come while it is held up are lost to it: they may be.
      subscribe: (topic, hear) => bus.subscribe(topic, message => alive && !held && hear(message)),
    },
  };
  const errors: TenonError[] = [];
  const server = createServer({
    ...{ name: `process ${name}`, version: '1', clock, stores },
    tools: tools(() => alive),
    extensions: [tasks(settings)],
    onError: error => errors.push(error),
  });
  const caller = await connectTaskClient(server as never);
  return {
    ...{ name, caller, errors },
    get alive() {
      return alive;
    },
    get running() {
      return alive && held === undefined;
    },
    dieSoon(calls, after) {
      dies = { calls, after };
    },
    hold() {
      let resume: () => void = () => {};
      const over = new Promise<void>(resolve => {
        resume = resolve;
      });
      held ??= { over, resume };
    },
    resume() {
      held?.resume();
      held = undefined;
      const ms = missed;
      missed = 0;
      if (ms > 0 && alive) clock.advance(ms);
    },
    advance(ms) {
      if (held) missed += ms;
      else if (alive) clock.advance(ms);
    },
    close: () => server.close(),
  };
}

/** Lets all that is ready go on, as far as it comes without time. */
export async function waitTurns(turns = 12): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise(resolve => setImmediate(resolve));
}
