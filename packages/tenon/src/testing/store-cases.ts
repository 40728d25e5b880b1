import { systemClock } from '../jsonrpc/clock.js';
import type { Stores } from '../stores/stores.js';
import { busCases, sharedBusCases } from './bus-cases.js';
import type { Case } from './channel-cases.js';
import { check } from './ear.js';
import { refuses, type Stage, type StoreCase } from './stage.js';
import { sharedValueCases, valueCases } from './value-cases.js';

/** Empty stores that are just opened. */
export interface StoreSite {
  readonly stores: Stores;
  /** Opens the same stores once more, as another process or this one after a restart does. */
  readonly another?: (() => Stores | Promise<Stores>) | undefined;
  /** Lets so many milliseconds pass, where the stores go by a clock that is told. Absent: they pass by themselves. */
  readonly pass?: ((ms: number) => void | Promise<void>) | undefined;
  /** How many characters of JSON text a value may have. Default: 1 Mi. */
  readonly maxValueSize?: number | undefined;
  /** Frees what the stores needed besides. They are closed by then. */
  readonly release?: (() => void | Promise<void>) | undefined;
}

/** What stores may not have. */
export interface StoreLacks {
  /** They can not be opened a second time: they are in the memory of one process. */
  readonly sharing?: boolean | undefined;
}

/**
 * What all stores must do, as named cases for any test runner:
 * `for (const { name, run } of storeCases(open)) it(name, run)`. `open` is called once for each case.
 */
export function storeCases(open: () => StoreSite | Promise<StoreSite>, lacks: StoreLacks = {}): Case[] {
  const shared = lacks.sharing ? [] : [...sharedValueCases, ...sharedBusCases];
  const cases = [...valueCases, ...busCases, ...closing, ...shared];
  return cases.map(([name, use]) => ({ name, run: () => run(open, use) }));
}

/** How often a case looks whether what it waits for is there, and how long it waits each time, in milliseconds. */
const LOOKS = 1000;
const LOOK_MS = 10;

async function run(open: () => StoreSite | Promise<StoreSite>, use: (stage: Stage) => Promise<void>): Promise<void> {
  const site = await open();
  const opened = [site.stores];
  const pass = async (ms: number) => {
    await site.pass?.(ms);
    await slept(site.pass ? 0 : ms);
  };
  try {
    await use({
      ...site.stores,
      maxValueSize: site.maxValueSize ?? 2 ** 20,
      pass,
      async another() {
        const other = await site.another?.();
        if (other === undefined) throw new Error('the site has no `another`: say so by `{ sharing: true }`');
        opened.push(other);
        return other;
      },
      async until(holds, otherwise) {
        for (let looked = 0; !holds(); looked++) {
          check(looked < LOOKS, otherwise);
          await pass(LOOK_MS);
        }
      },
    });
  } finally {
    for (const each of opened) await each.close();
    await site.release?.();
  }
}

function slept(ms: number): Promise<void> {
  return new Promise(resolve => systemClock.after(ms, resolve, { hold: true }));
}

const closing: readonly StoreCase[] = [
  [
    'closes as often as it is told to, and refuses what comes after',
    async ({ values, bus, close }) => {
      const before = values.put('before', {});
      await Promise.all([close(), close()]);
      await close();
      check((await before) === 1, 'what was asked before closing was not done');
      await refuses('store/closed', () => values.get('a'));
      await refuses('store/closed', () => values.put('a', {}));
      await refuses('store/closed', () => values.delete('a'));
      await refuses('store/closed', () => values.list(''));
      await refuses('store/closed', () => bus.publish('a', {}));
      await refuses('store/closed', async () => bus.subscribe('a', () => {}));
    },
  ],
  [
    'tells nothing more once it is closed',
    async ({ bus, close, pass }) => {
      let heard = 0;
      bus.subscribe('a', () => heard++);
      const publishing = bus.publish('a', {});
      await Promise.all([close(), publishing]);
      const atTheEnd = heard;
      await pass(100);
      check(heard === atTheEnd, 'a listener was told after the end');
    },
  ],
];
