import type { JsonObject } from '@tenon/base';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ExecutionBackend, HandlerRun } from './handler-run.js';
import { Journal } from './journal.js';
import { JournaledExecution } from './journaled-execution.js';
import { RunWithoutInput } from './lazy-run.js';

function rig(journal = new Journal(), check: ExecutionBackend['check'] = () => {}) {
  const put: string[] = [];
  const backend: ExecutionBackend = {
    check,
    async deliver({ key, method, params }) {
      put.push(`${key} ${method} ${params.n ?? ''}`.trim());
      const answer = { of: key };
      journal.answer(key, answer);
      return answer;
    },
    async runStep(run) {
      const done = await run();
      journal.add(done);
      return done;
    },
  };
  return { journal, put, enter: () => new JournaledExecution(journal, backend) };
}

const name = (run: HandlerRun) => (method: string, n: number) => run.request(method, { n });

describe('a step', () => {
  it('runs once, however often the handler runs, and returns the same value', async () => {
    const { enter } = rig();
    let runs = 0;
    const step = (run: HandlerRun) => run.step('count', async () => ({ runs: ++runs }));
    expect(await step(enter())).toEqual({ runs: 1 });
    expect(await step(enter())).toEqual({ runs: 1 });
    expect(runs).toBe(1);
  });

  it('returns undefined or null', async () => {
    const { enter, journal } = rig();
    for (let entry = 0; entry < 2; entry++) {
      const run = enter();
      expect(await run.step('nothing', () => {})).toBeUndefined();
      expect(await run.step('null', () => null)).toBeNull();
    }
    expect(journal.entries).toEqual([{ step: 'nothing' }, { step: 'null', value: null }]);
  });

  it('returns a copy to each caller', async () => {
    const { enter, journal } = rig();
    const made = { list: [1] };
    const first = (await enter().step('list', () => made)) as { list: number[] };
    made.list.push(2);
    first.list.push(3);
    const again = (await enter().step('list', () => made)) as { list: number[] };
    again.list.push(4);
    expect(journal.step('list', 0)?.value).toEqual({ list: [1] });
  });

  it('returns in its first run what it returns later', async () => {
    const { enter } = rig();
    const value = { a: undefined, zero: -0, bare: Object.assign(Object.create(null), { b: 1 }) };
    const first = await enter().step('value', () => value);
    expect(await enter().step('value', () => value)).toStrictEqual(first);
    expect(first).toStrictEqual({ zero: 0, bare: { b: 1 } });
  });

  it('runs again after it has thrown', async () => {
    const { enter, journal } = rig();
    let runs = 0;
    const flaky = () => {
      if (++runs < 3) throw new Error(`no ${runs}`);
      return 'yes';
    };
    await expect(enter().step('flaky', flaky)).rejects.toThrow('no 1');
    await expect(enter().step('flaky', async () => flaky())).rejects.toThrow('no 2');
    expect(journal.size).toBe(0);
    expect(await enter().step('flaky', flaky)).toBe('yes');
  });

  it('fails when it returns a value that is not JSON, names the place, and is not stored', async () => {
    const { enter, journal } = rig();
    const step = enter().step('when', () => ({ at: [new Date()] }));
    await expect(step).rejects.toMatchObject({ code: 'handler/step-not-json', received: '/at/0: a Date' });
    await expect(enter().step('when', () => 1n)).rejects.toThrow('"when"');
    expect(journal.size).toBe(0);
  });

  it('rejects input requests and steps inside it where that can be detected', async () => {
    const { enter, put } = rig();
    const run = enter();
    await expect(run.step('a', () => run.request('roots/list', {}))).rejects.toMatchObject({
      code: 'handler/request-in-step',
    });
    await expect(run.step('b', () => run.step('c', () => 1))).rejects.toMatchObject({
      code: 'handler/step-in-step',
      message: expect.stringContaining('"c"'),
    });
    const thrown = run.step('d', () => {
      throw new Error('no');
    });
    await expect(thrown).rejects.toThrow('no');
    expect(put).toEqual([]);
    expect(await run.step('after', () => 1)).toBe(1);
    expect(await run.request('roots/list', {})).toEqual({ of: 'ask-0' });
  });

  it('runs concurrently with other steps and input requests', async () => {
    const { enter } = rig();
    const run = enter();
    const slow = run.step('slow', () => new Promise(resolve => setTimeout(resolve, 1, 'slow')));
    const both = [run.step('quick', async () => 'quick'), run.request('roots/list', {})];
    expect(await Promise.all([slow, ...both])).toEqual(['slow', 'quick', { of: 'ask-0' }]);
  });

  it('runs twice when its name occurs twice', async () => {
    const { enter } = rig();
    let runs = 0;
    for (let entry = 0; entry < 2; entry++) {
      const run = enter();
      expect(await run.step('a', () => ++runs)).toBe(1);
      expect(await run.step('a', () => ++runs)).toBe(2);
    }
    expect(runs).toBe(2);
  });

  it('keeps its value when concurrent steps run in another order', async () => {
    const { enter } = rig();
    const names = ['a', 'b', 'c'];
    const first = enter();
    await Promise.all(names.map(each => first.step(each, () => each)));
    const second = enter();
    const values = names.toReversed().map(each => second.step(each, () => 'again'));
    expect(await Promise.all(values)).toEqual(['c', 'b', 'a']);
    await second.checkRevisited();
  });

  it('takes the value of another process that has completed it meanwhile', async () => {
    const journal = new Journal();
    let open = () => {};
    const gate = new Promise<void>(resolve => {
      open = resolve;
    });
    const backend: ExecutionBackend = { check: () => {}, deliver: async () => ({}), runStep: run => gate.then(run) };
    const waiting = new JournaledExecution(journal, backend).step('a', () => 'mine');
    journal.add({ step: 'a', value: 'theirs' });
    open();
    expect(await waiting).toBe('theirs');
  });
});

describe('an input request', () => {
  it('reaches the client once, and has its response in every run', async () => {
    const { enter, put } = rig();
    for (let entry = 0; entry < 2; entry++) {
      const ask = name(enter());
      expect([await ask('a', 1), await ask('a', 2), await ask('b', 1)].map(({ of }) => of)).toEqual([
        'ask-0',
        'ask-1',
        'ask-2',
      ]);
    }
    expect(put).toEqual(['ask-0 a 1', 'ask-1 a 2', 'ask-2 b 1']);
  });

  it('reaches the client twice when it is sent twice', async () => {
    const { enter, put } = rig();
    for (let entry = 0; entry < 2; entry++) {
      const ask = name(enter());
      expect([await ask('a', 1), await ask('a', 1)]).toEqual([{ of: 'ask-0' }, { of: 'ask-1' }]);
    }
    expect(put).toHaveLength(2);
  });

  it('keeps its response when the handler changes the returned object', async () => {
    const { enter } = rig();
    for (let entry = 0; entry < 2; entry++) {
      const answer = await enter().request('a', {});
      expect(answer).toEqual({ of: 'ask-0' });
      (answer as { of: string }).of = 'changed';
    }
  });

  it('fails for a client without the capability, unless the response exists [mrtr.capability-respected]', async () => {
    let lacks = true;
    const { enter, journal, put } = rig(new Journal(), () => {
      if (lacks) throw new Error('lacks');
    });
    await expect(enter().request('a', {})).rejects.toThrow('lacks');
    expect([journal.size, put.length]).toEqual([0, 0]);
    lacks = false;
    const answer = await enter().request('a', {});
    lacks = true;
    expect(await enter().request('a', {})).toEqual(answer);
  });

  it('fails alike in every run when the client declined', async () => {
    const { enter, journal } = rig();
    await enter().request('a', {});
    const [request] = journal.listAnswered();
    const { answer: _, ...rest } = request as never as JsonObject;
    journal.add({ ...rest, refused: 'the user is out' } as never);
    await expect(enter().request('a', {})).rejects.toMatchObject({
      code: 'client/refused',
      message: expect.stringContaining('the user is out'),
    });
  });
});

describe('a handler that is entered again', () => {
  afterEach(() => void vi.useRealTimers());

  it('has to reach the same steps and input requests', async () => {
    const { enter } = rig();
    const first = enter();
    await first.request('a', { n: 1 });
    await first.step('s', () => 1);
    await first.checkRevisited();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const other = enter();
    await other.step('s', () => 1);
    const check = expect(other.checkRevisited()).rejects.toMatchObject({
      code: 'handler/not-deterministic',
      message: expect.stringMatching(/input request ask-0 \(a\)/),
    });
    await vi.advanceTimersByTimeAsync(5000);
    await check;
    const another = enter();
    await another.request('a', { n: 1 });
    const second = expect(another.checkRevisited()).rejects.toThrow('step "s"');
    await vi.advanceTimersByTimeAsync(5000);
    await second;
  });

  it('may reach concurrent steps up to five seconds later', async () => {
    const { enter } = rig();
    await enter().step('late', () => 1);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const run = enter();
    setTimeout(() => void run.step('late', () => 2), 4999);
    const checked = run.checkRevisited();
    await vi.advanceTimersByTimeAsync(4999);
    await checked;
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a handler whose client cannot respond to input requests', () => {
  it('fails for an input request, and runs steps', async () => {
    const run = new RunWithoutInput('tools/list');
    await expect(run.request('roots/list', {})).rejects.toMatchObject({
      code: 'handler/cannot-request-input',
      message: expect.stringContaining('tools/list'),
    });
    expect(await run.step('a', () => 1)).toBe(1);
    expect(await run.invokeHandler({ resumeWith: () => {} }, async () => ({ a: 1 }))).toEqual({ a: 1 });
  });
});
