import type { JsonObject } from '@tenon/base';
import { expectRejection, listNumbers, type StoreCase } from './store-context.js';
import { assertEqual, check } from './test-peer.js';

export const busCases: readonly StoreCase[] = [
  [
    'delivers messages to all listeners of a topic in order, and to no others',
    async ({ bus, waitUntil }) => {
      const one: JsonObject[] = [];
      const other: JsonObject[] = [];
      const unrelated: JsonObject[] = [];
      bus.subscribe('a', message => one.push(message));
      bus.subscribe('a', message => other.push(message));
      bus.subscribe('b', message => unrelated.push(message));
      for (const n of listNumbers(20)) await bus.publish('a', { n });
      await Promise.all(listNumbers(20).map(n => bus.publish('a', { n: 20 + n })));
      await bus.publish('b', { last: true });
      await waitUntil(() => unrelated.length > 0 && one.length >= 40 && other.length >= 40, 'not all was heard');
      const all = listNumbers(40).map(n => ({ n }));
      assertEqual([one, other, unrelated], [all, all, [{ last: true }]]);
    },
  ],
  [
    'calls no listener during publish',
    async ({ bus, waitUntil }) => {
      let [inside, heard, reentered] = [false, 0, false];
      bus.subscribe('a', () => {
        reentered ||= inside;
        heard++;
      });
      inside = true;
      const publishing = bus.publish('a', {});
      inside = false;
      await publishing;
      await waitUntil(() => heard === 1, 'nothing was heard');
      check(!reentered, 'a listener was called by `publish` itself');
    },
  ],
  [
    'delivers messages from the subscription until its end',
    async ({ bus, waitUntil }) => {
      await bus.publish('a', { n: 0 });
      const heard: unknown[] = [];
      const all: unknown[] = [];
      const end = bus.subscribe('a', ({ n }) => heard.push(n));
      bus.subscribe('a', ({ n }) => all.push(n));
      await bus.publish('a', { n: 1 });
      await waitUntil(() => heard.length > 0, 'nothing was heard');
      end();
      end();
      await bus.publish('a', { n: 2 });
      await waitUntil(() => all.length === 2, 'the other listener was forgotten');
      assertEqual([heard, all], [[1], [1, 2]]);
    },
  ],
  [
    'delivers no pending message to a removed listener',
    async ({ bus, advance }) => {
      let heard = 0;
      const end = bus.subscribe('a', () => heard++);
      const publishing = bus.publish('a', {});
      end();
      await publishing;
      await advance(100);
      assertEqual(heard, 0);
    },
  ],
  [
    'lets a listener remove itself and subscribe others',
    async ({ bus, waitUntil }) => {
      const heard: string[] = [];
      const end = bus.subscribe('a', () => {
        heard.push('first');
        end();
        bus.subscribe('a', () => heard.push('second'));
      });
      await bus.publish('a', {});
      await waitUntil(() => heard.length > 0, 'nothing was heard');
      await bus.publish('a', {});
      await waitUntil(() => heard.length > 1, 'the second listener heard nothing');
      assertEqual(heard, ['first', 'second']);
    },
  ],
  [
    'gives each listener its own copy',
    async ({ bus, waitUntil }) => {
      const heard: unknown[] = [];
      const spoil = (message: JsonObject) => {
        heard.push((message.deep as JsonObject).n);
        (message.deep as JsonObject).n = 'spoiled';
      };
      bus.subscribe('a', spoil);
      bus.subscribe('a', spoil);
      const message = { deep: { n: 1 } };
      const publishing = bus.publish('a', message);
      message.deep.n = 2;
      await publishing;
      await waitUntil(() => heard.length === 2, 'not all was heard');
      assertEqual(heard, [1, 1]);
    },
  ],
  [
    'continues after a listener throws',
    async ({ bus, waitUntil }) => {
      let heard = 0;
      bus.subscribe('a', () => {
        throw new Error('as planned');
      });
      bus.subscribe('a', (async () => {
        throw new Error('as planned');
      }) as () => void);
      bus.subscribe('a', () => heard++);
      await bus.publish('a', {});
      await bus.publish('a', {});
      await waitUntil(() => heard === 2, 'another listener went short');
    },
  ],
  [
    'rejects invalid topics and messages like invalid keys and values',
    async ({ bus, maxValueSize }) => {
      for (const topic of ['', 't'.repeat(513), 'ü']) {
        await expectRejection('store/key', () => bus.publish(topic, {}));
        await expectRejection('store/key', async () => bus.subscribe(topic, () => {}));
      }
      await expectRejection('store/value', () => bus.publish('a', [] as never));
      await expectRejection('store/value-too-large', () => bus.publish('a', { t: 'x'.repeat(maxValueSize) }));
    },
  ],
];

export const sharedBusCases: readonly StoreCase[] = [
  [
    'delivers each message once to the listeners of other processes',
    async ({ bus, values, openSecond, waitUntil }) => {
      const other = await openSecond();
      await other.bus.publish('a', { from: 'before' });
      const here: JsonObject[] = [];
      const there: JsonObject[] = [];
      bus.subscribe('a', message => here.push(message));
      other.bus.subscribe('a', message => there.push(message));
      for (const each of [values, other.values]) await each.get('a');
      for (const n of listNumbers(150)) await (n % 3 === 0 ? other.bus : bus).publish('a', { n });
      for (const publisher of [bus, other.bus]) await publisher.publish('a', { last: true });
      const hasEnded = (heard: JsonObject[]) => heard.filter(({ last }) => last).length === 2;
      await waitUntil(() => hasEnded(here) && hasEnded(there), 'not all was heard');
      for (const heard of [here, there]) {
        assertEqual(heard.length, 152);
        const each = heard.flatMap(({ n }) => (typeof n === 'number' ? [n] : []));
        for (const of of [0, 1]) {
          const isOfPublisher = (n: number) => (n % 3 === 0) === (of === 0);
          assertEqual(each.filter(isOfPublisher), listNumbers(150).filter(isOfPublisher));
        }
      }
    },
  ],
  [
    'never delivers a message that was published before the subscription',
    async ({ bus, values, openSecond, waitUntil }) => {
      const other = await openSecond();
      const first: unknown[] = [];
      const second: unknown[] = [];
      bus.subscribe('a', ({ n }) => first.push(n));
      // A subscription is active in other processes when a later call has resolved.
      await values.get('a');
      await other.bus.publish('a', { n: 1 });
      bus.subscribe('a', ({ n }) => second.push(n));
      await values.get('a');
      await other.bus.publish('a', { n: 2 });
      await waitUntil(() => first.length === 2 && second.length > 0, 'not all was heard');
      assertEqual([first, second], [[1, 2], [2]]);
    },
  ],
];
