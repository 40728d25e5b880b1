import type { Channel } from '../jsonrpc/channel.js';
import { TenonError } from '../jsonrpc/error.js';
import { type Id, type JsonObject, notification } from '../jsonrpc/message.js';
import { check, type Ear, hear, same } from './ear.js';

/** One thing that a channel must do. `run` rejects with what it did instead. */
export interface Case {
  readonly name: string;
  run(): Promise<void>;
}

/** A road that nobody has opened yet, to a process or place that serves the `reflector`. */
export interface Road {
  readonly channel: Channel;
  /** Says what has to be said before other messages may cross: an `initialize`, say. */
  readonly begin?: ((ear: Ear) => Promise<void>) | undefined;
  /** Frees what the road needed besides. The channel may be open or closed. */
  readonly release?: (() => void | Promise<void>) | undefined;
}

/** What a road may not have. */
export interface Lacks {
  /** The other end can not ask by requests of its own. */
  readonly questions?: boolean | undefined;
  /** The end of the other end is not noticed before the next message. */
  readonly hangUps?: boolean | undefined;
}

/**
 * What every channel must do, as named cases for any test runner:
 * `for (const { name, run } of channelCases(open)) it(name, run)`. `open` is called once for each case.
 */
export function channelCases(open: () => Road | Promise<Road>, lacks: Lacks = {}): Case[] {
  const cases = [...everywhere, ...(lacks.questions ? [] : asking), ...(lacks.hangUps ? [] : hangingUp)];
  return cases.map(([name, talk]) => ({ name, run: () => run(open, talk) }));
}

type Talk = (ear: Ear) => Promise<void>;

async function run(open: () => Road | Promise<Road>, talk: Talk): Promise<void> {
  const road = await open();
  const ear = hear(road.channel);
  try {
    await road.channel.open(ear.receiver);
    await road.begin?.(ear);
    await talk(ear);
  } finally {
    await road.channel.close();
    await road.release?.();
  }
}

const everywhere: readonly [string, Talk][] = [
  ['names its other end', async ({ channel }) => check(channel.peer.length > 0, 'peer is empty')],
  [
    'carries a request there and its answer back',
    async ear => same((await ear.call('reflect/echo', { a: 1 })).result, { a: 1 }),
  ],
  [
    'carries an error back',
    async ear => {
      const { error } = await ear.call('reflect/fail', {});
      same(error, { code: 1, message: 'as asked', data: { a: [1] } });
    },
  ],
  [
    'keeps the id, a string or a number',
    async ear => {
      for (const id of ['7', 7, '', 'ü', 2 ** 53 - 1, -3] satisfies Id[])
        same((await ear.call('reflect/echo', {}, id)).id, id);
    },
  ],
  [
    'keeps the order of what it sends',
    async ear => {
      for (let n = 0; n < 50; n++) await ear.channel.send(notification('reflect/note', { note: n }));
      same((await ear.call('reflect/noted', {})).result, { notes: numbers(50) });
    },
  ],
  [
    'keeps the order of what it receives, ahead of the answer',
    async ear => {
      await ear.call('reflect/say', { count: 100 });
      same(
        ear.heard('reflect/said').map(({ n }) => n),
        numbers(100),
      );
    },
  ],
  [
    'carries many requests at once, each answered once',
    async ear => {
      const answers = await Promise.all(numbers(40).map(n => ear.call('reflect/echo', { n }, `at-once-${n}`)));
      same(
        answers.map(({ result }) => (result as JsonObject).n),
        numbers(40),
      );
      same(ear.answers('at-once-'), 40);
    },
  ],
  [
    'settles what is sent, however much there is',
    async ear => {
      const note = 'x'.repeat(20_000);
      for (let n = 0; n < 50; n++) await ear.channel.send(notification('reflect/note', { note }));
      const { result } = await ear.call('reflect/noted', {});
      same(
        (result as { notes: string[] }).notes.map(({ length }) => length),
        numbers(50).map(() => 20_000),
      );
    },
  ],
  [
    'carries a large message whole',
    async ear => {
      const text = 'large ü 😀\n'.repeat(100_000);
      const { result } = await ear.call('reflect/echo', { text });
      check((result as JsonObject).text === text, 'the text has changed');
    },
  ],
  [
    'carries any text: control characters, separators, lone surrogates',
    async ear => {
      const texts = [
        '\0\b\r\n\t',
        '\u2028\u2029\u0085',
        '😀 é 𝒳',
        '\ud800',
        'a\udc00b',
        '\ufeff',
        'data: x\n\nevent: y',
      ];
      same((await ear.call('reflect/echo', { texts })).result, { texts });
    },
  ],
  [
    'carries any member name as data',
    async ear => {
      const params = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":2},"":0}') as JsonObject;
      same((await ear.call('reflect/echo', params)).result, params);
      check(!('polluted' in {}), 'the prototype of all objects has changed');
    },
  ],
  [
    'carries nested values, null and fractions',
    async ear => {
      const params = { a: [[[{ b: null }]], -0.5, 1e300, true, false, '', []], c: {} };
      same((await ear.call('reflect/echo', params)).result, params);
    },
  ],
  [
    'closes once, however often it is told to, and says so without an error',
    async ear => {
      await Promise.all([ear.channel.close(), ear.channel.close()]);
      await ear.channel.close();
      await ear.closed;
      same(ear.endings, [undefined]);
    },
  ],
  [
    'refuses with a TenonError what is sent after its end',
    async ear => {
      await ear.channel.close();
      await ear.closed;
      const error = await settled(() => ear.channel.send(notification('reflect/note', {})));
      check(TenonError.is(error), `got ${String(error)}`);
    },
  ],
  [
    'says nothing after its end',
    async ear => {
      const unanswered = numbers(10).map(n =>
        settled(() => ear.channel.send(ear.request('reflect/say', { count: n }))),
      );
      await ear.channel.close();
      await ear.closed;
      await Promise.all(unanswered);
      same(ear.afterTheEnd, []);
    },
  ],
];

const asking: readonly [string, Talk][] = [
  [
    'carries a question of the other end, and its answer',
    async ear => {
      ear.answer('reflect/question', params => ({ answer: params.question }));
      same((await ear.call('reflect/ask', { question: 'why' })).result, { answer: 'why' });
    },
  ],
];

const hangingUp: readonly [string, Talk][] = [
  [
    'gives the last answer, and then says once that the other end has ended',
    async ear => {
      same((await ear.call('reflect/close', { last: 1 })).result, { last: 1 });
      await ear.closed;
      await ear.channel.close();
      same(ear.endings.length, 1);
    },
  ],
];

async function settled(run: () => unknown): Promise<unknown> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error;
  }
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n);
}
