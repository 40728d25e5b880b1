import { type Clock, systemClock } from '../jsonrpc/clock.js';

/**
 * What is remembered of how servers open: the revision that was agreed on, by endpoint. Yours may be a file or a store:
 * a verdict that no longer fits is found out and replaced.
 */
export interface Verdicts {
  get(endpoint: string): string | undefined | Promise<string | undefined>;
  set(endpoint: string, revision: string): void | Promise<void>;
  delete(endpoint: string): void | Promise<void>;
}

const MAX_ENDPOINTS = 1000;
/** After this time a server is asked anew, in milliseconds: it may have been updated. */
const LIFE = 60 * 60_000;

/** Remembers each of the latest thousand endpoints for an hour, in this process. */
export function verdictsInMemory({ clock = systemClock }: { readonly clock?: Clock | undefined } = {}): Verdicts {
  const known = new Map<string, { revision: string; until: number }>();
  return {
    get(endpoint) {
      const verdict = known.get(endpoint);
      return verdict && verdict.until > clock.now() ? verdict.revision : undefined;
    },
    set(endpoint, revision) {
      known.delete(endpoint);
      known.set(endpoint, { revision, until: clock.now() + LIFE });
      const oldest = known.keys().next().value;
      if (known.size > MAX_ENDPOINTS && oldest !== undefined) known.delete(oldest);
    },
    delete: endpoint => void known.delete(endpoint),
  };
}

export const processVerdicts: Verdicts = verdictsInMemory();
