import {
  addFormat,
  type Bus,
  createUnknownFormatLog,
  FIRST_FORMAT,
  RECORD_KINDS,
  type Stores,
  splitFormat,
  type TenonError,
  toRecordValues,
  type UnknownFormatLog,
} from '@tenon/base';

/** Wraps a bus so that each message has a format version. Messages of unknown formats are dropped. */
function toRecordBus(bus: Bus, log: UnknownFormatLog): Bus {
  return {
    publish: (topic, message) => bus.publish(topic, addFormat(message, FIRST_FORMAT)),
    subscribe: (topic, listener) =>
      bus.subscribe(topic, received => {
        const [format, message] = splitFormat(received);
        // The bus reports what the listener throws, also later.
        if (format === FIRST_FORMAT) return listener(message);
        log.note(topic, `${String(format)} of messages`);
      }),
  };
}

/** Number of records of each kind that the first check of stores reads, to find formats that this release cannot read. */
const SCANNED_RECORDS = 20;

const recordStores = new WeakSet<Stores>();

/** Wraps stores so that all records and messages have a format version. Stores that are wrapped already are returned. */
export function toRecordStores(stores: Stores, onError?: (error: TenonError) => void): Stores {
  if (recordStores.has(stores)) return stores;
  const log = createUnknownFormatLog(onError);
  const values = toRecordValues(stores.values, log);
  let scanned: Promise<unknown> | undefined;
  const versioned: Stores = {
    values,
    bus: toRecordBus(stores.bus, log),
    buckets: stores.buckets,
    durable: stores.durable,
    remote: stores.remote,
    prefix: stores.prefix,
    now: stores.now,
    async check() {
      await stores.check?.();
      const prefixes = Object.keys(RECORD_KINDS).map(kind => `${kind.replace('.', '/')}/`);
      scanned ??= Promise.allSettled(prefixes.map(prefix => values.list(prefix, { limit: SCANNED_RECORDS })));
      await scanned;
    },
    close: () => stores.close(),
    getUnknownFormats: () => [...(stores.getUnknownFormats?.() ?? []), ...log.list()],
  };
  recordStores.add(versioned);
  return versioned;
}
