import type { JsonObject } from '@tenon/base';
import { describe, expect, it, vi } from 'vitest';
import { createGate, getInputRequests, waitBriefly } from './fixtures/playing.js';
import type { ExecutionBackend } from './handler-run.js';
import { type CompletedStep, Journal } from './journal.js';
import { JournaledExecution } from './journaled-execution.js';
import { Suspension } from './suspension.js';

function rig() {
  const journal = new Journal();
  const stored: string[] = [];
  const round = (name: string) => ({
    check: () => {},
    saveStep: ({ step }: CompletedStep) => void stored.push(`${name} ${step}`),
  });
  const pause = new Suspension(journal, round('0'));
  const run = new JournaledExecution(journal, pause);
  const ask = (n: number) => run.request('m', { n }).then(({ a }) => a);
  const answer = (key: string, a: unknown) => journal.answer(key, { a });
  return { journal, stored, pause, round, run, ask, answer };
}

const keys = (result: JsonObject) => Object.keys(getInputRequests(result));

describe('a handler with pending input requests', () => {
  it('is suspended, and the input requests are its result [mrtr.input-required-shape mrtr.input-requests-map]', async () => {
    const { pause, ask, run } = rig();
    const rest = pause.runUntilSuspended(() => Promise.all([ask(1), run.request('roots/list', {})]) as never);
    expect(await rest).toEqual({
      resultType: 'input_required',
      inputRequests: { 'ask-0': { method: 'm', params: { n: 1 } }, 'ask-1': { method: 'roots/list' } },
    });
  });

  it('sends the input requests of one turn in one round, also after a promise or two', async () => {
    const { pause, ask } = rig();
    const late = async () => {
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
      return ask(2);
    };
    expect(keys(await pause.runUntilSuspended(() => Promise.all([ask(1), late()]) as never))).toEqual([
      'ask-0',
      'ask-1',
    ]);
  });

  it('sends its input requests in the next turn, without a timer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const { pause, ask } = rig();
      expect(keys(await pause.runUntilSuspended(() => ask(1) as never))).toEqual(['ask-0']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('keeps running while a step runs', async () => {
    const { pause, ask, run } = rig();
    const did: string[] = [];
    const slow = async () => {
      await run.step('slow', async () => {
        await waitBriefly();
        did.push('slow');
      });
      return ask(2);
    };
    expect(keys(await pause.runUntilSuspended(() => Promise.all([ask(1), slow()]) as never))).toEqual([
      'ask-0',
      'ask-1',
    ]);
    expect(did).toEqual(['slow']);
  });

  it('returns its result, or rejects with its error', async () => {
    const { pause, ask } = rig();
    expect(await pause.runUntilSuspended(async () => ({ a: 1 }))).toEqual({ a: 1 });
    await expect(pause.runUntilSuspended(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const broken = () => {
      throw new Error('at once');
    };
    expect(() => pause.runUntilSuspended(broken)).toThrow('at once');
    expect(pause.runUntilSuspended(() => ({ b: 2 }))).toEqual({ b: 2 });
    const asksAndThrows = async () => {
      void ask(1);
      throw new Error('while it asked');
    };
    await expect(pause.runUntilSuspended(asksAndThrows)).rejects.toThrow('while it asked');
  });

  it('sends the original input request, even if its params object has changed since', async () => {
    const { pause, run } = rig();
    const messages = ['one'];
    const asking = async () => {
      const first = run.request('m', { messages });
      messages.push('two');
      return { both: await Promise.all([first, run.request('m', { messages })]) } as JsonObject;
    };
    const result = getInputRequests(await pause.runUntilSuspended(asking));
    expect(Object.values(result).map(({ params }) => params)).toEqual([
      { messages: ['one'] },
      { messages: ['one', 'two'] },
    ]);
  });

  it('continues with the responses, and counts later steps to that round', async () => {
    const { pause, ask, run, answer, round, stored } = rig();
    const work = (async () => {
      const one = await ask(1);
      await run.step('s', () => 1);
      return { one, two: await ask(2) } as JsonObject;
    })();
    await pause.runUntilSuspended(() => work);
    await pause.close();
    answer('ask-0', 'yes');
    pause.resume(round('1'));
    expect(keys(await pause.runUntilSuspended(() => work))).toEqual(['ask-1']);
    await pause.close();
    answer('ask-1', 'no');
    pause.resume(round('2'));
    expect(await pause.runUntilSuspended(() => work)).toEqual({ one: 'yes', two: 'no' });
    expect(stored).toEqual(['1 s']);
  });

  it('sends unanswered input requests again [mrtr.missing-responses-reasked]', async () => {
    const { pause, ask, answer, round } = rig();
    const work = Promise.all([ask(1), ask(2)]).then(all => ({ all }));
    expect(keys(await pause.runUntilSuspended(() => work))).toEqual(['ask-0', 'ask-1']);
    await pause.close();
    answer('ask-1', 2);
    pause.resume(round('1'));
    expect(keys(await pause.runUntilSuspended(() => work))).toEqual(['ask-0']);
    await pause.close();
    answer('ask-0', 1);
    pause.resume(round('2'));
    expect(await pause.runUntilSuspended(() => work)).toEqual({ all: [1, 2] });
  });
});

describe('a handler between two rounds', () => {
  it('begins no step and sends no input request', async () => {
    const { pause, ask, run, answer, round } = rig();
    const did: string[] = [];
    const gate = createGate();
    const side = async () => {
      await gate.opened;
      await run.step('side', () => void did.push('side'));
      await ask(2);
    };
    const work = Promise.all([ask(1), side()]).then(() => ({}));
    expect(keys(await pause.runUntilSuspended(() => work))).toEqual(['ask-0']);
    await pause.close();
    gate.open();
    await waitBriefly();
    expect(did).toEqual([]);
    answer('ask-0', 1);
    pause.resume(round('1'));
    expect(keys(await pause.runUntilSuspended(() => work))).toEqual(['ask-1']);
    expect(did).toEqual(['side']);
  });

  it('sends a late input request in the next round, or resolves it with its answer', async () => {
    const { pause, ask, answer, round } = rig();
    const gate = createGate();
    const late = async () => {
      await gate.opened;
      return ask(2);
    };
    const work = Promise.all([ask(1), late()]).then(all => ({ all }));
    expect(keys(await pause.runUntilSuspended(() => work))).toEqual(['ask-0']);
    await pause.close();
    gate.open();
    await waitBriefly();
    answer('ask-0', 1);
    answer('ask-1', 'before it was asked');
    pause.resume(round('1'));
    expect(await pause.runUntilSuspended(() => work)).toEqual({ all: [1, 'before it was asked'] });
  });

  it('finishes a step that has begun, so that it is stored', async () => {
    const { pause, ask, run, journal } = rig();
    let go = () => {};
    const gate = createGate();
    const slow = async () => {
      await gate.opened;
      await run.step('slow', () => new Promise<void>(resolve => (go = resolve)));
    };
    await pause.runUntilSuspended(() => Promise.all([ask(1), slow()]) as never);
    gate.open();
    await waitBriefly();
    let closed = false;
    const closing = Promise.resolve(pause.close()).then(() => {
      closed = true;
    });
    await waitBriefly();
    expect(closed).toBe(false);
    go();
    await closing;
    expect(journal.step('slow', 0)).toEqual({ step: 'slow' });
  });
});

describe('middleware around a handler', () => {
  it('ends with the round, and can request input and run steps after it', async () => {
    const { pause, ask, run } = rig();
    const events: string[] = [];
    const handler = async () => ({ a: await ask(1) }) as JsonObject;
    const around = async () => {
      try {
        return await pause.runUntilSuspended(handler);
      } finally {
        await run.step('audit', () => void events.push('audit'));
        await waitBriefly();
        events.push('over');
      }
    };
    expect(keys(await pause.runUntilSuspended(around))).toEqual(['ask-0']);
    expect(events).toEqual(['audit', 'over']);
  });

  it('ends with the round even if the handler requests input at once', async () => {
    const { pause, ask } = rig();
    const events: string[] = [];
    const around = async () => {
      const result = await pause.runUntilSuspended(() => ask(1) as never);
      events.push('over');
      return result;
    };
    await pause.runUntilSuspended(around);
    expect(events).toEqual(['over']);
  });

  it('can request input before and after the handler', async () => {
    const { pause, ask } = rig();
    const before = pause.runUntilSuspended(async () => ({
      a: await ask(1),
      b: await pause.runUntilSuspended(async () => ({})),
    }));
    expect(keys(await before)).toEqual(['ask-0']);
    const after = pause.runUntilSuspended(async () => {
      const inner = await pause.runUntilSuspended(async () => ({ a: await ask(2) }) as JsonObject);
      return { inner, b: await ask(3) };
    });
    expect(keys(await after)).toContain('ask-2');
  });
});

describe('a handler that becomes a task', () => {
  const elsewhere = () => {
    const log: string[] = [];
    const backend: ExecutionBackend = {
      check: method => void log.push(`check ${method}`),
      deliver: async ({ key }) => {
        log.push(`put ${key}`);
        return { a: 'elsewhere' };
      },
      runStep: async run => {
        const done = await run();
        log.push(`step ${done.step}`);
        return done;
      },
    };
    return { log, backend };
  };

  it('requests input and runs steps by the other backend, and its caller gets another result', async () => {
    const { pause, ask, run } = rig();
    const { log, backend } = elsewhere();
    let go = () => {};
    const work = (async () => {
      await run.step('under way', () => new Promise<void>(resolve => (go = resolve)));
      await run.step('then', () => 1);
      return { a: await ask(1) } as JsonObject;
    })();
    const waited = pause.runUntilSuspended(() => work);
    await waitBriefly();
    pause.redirectTo(backend, { resultType: 'task' });
    expect(await waited).toEqual({ resultType: 'task' });
    go();
    expect(await work).toEqual({ a: 'elsewhere' });
    expect(log).toEqual(['step under way', 'step then', 'check m', 'put ask-0']);
  });

  it('keeps its pending input requests', async () => {
    const { pause, ask, run } = rig();
    const { log, backend } = elsewhere();
    const work = Promise.all([ask(1), run.step('slow', waitBriefly)]).then(([a]) => ({ a }));
    const waited = pause.runUntilSuspended(() => work);
    await Promise.resolve();
    pause.redirectTo(backend, { resultType: 'task' });
    expect(await waited).toEqual({ resultType: 'task' });
    expect(await work).toEqual({ a: 'elsewhere' });
    expect(log).toEqual(['put ask-0', 'step slow']);
  });

  it('sends no input requests while its other result is pending', async () => {
    const { pause, ask } = rig();
    const { backend } = elsewhere();
    let come: (result: JsonObject) => void = () => {};
    const result = new Promise<JsonObject>(resolve => {
      come = resolve;
    });
    const waited = pause.runUntilSuspended(() => pause.runUntilSuspended(() => ask(1).then(a => ({ a }))));
    await Promise.resolve();
    pause.redirectTo(backend, result);
    await waitBriefly();
    await waitBriefly();
    come({ resultType: 'task' });
    expect(await waited).toEqual({ resultType: 'task' });
  });

  it('keeps its backend when no caller waits, because it has requested input or is complete', async () => {
    const { pause, ask } = rig();
    const { log, backend } = elsewhere();
    expect(pause.redirectTo(backend, {})).toBe(false);
    await pause.runUntilSuspended(() => ask(1) as never);
    expect(pause.redirectTo(backend, {})).toBe(false);
    await pause.runUntilSuspended(async () => ({}));
    expect(pause.redirectTo(backend, {})).toBe(false);
    expect(log).toEqual([]);
  });
});
