import { type Change, fold, touches, type Words } from './change.js';
import type { Dialect, Reshape, Speech } from './dialect.js';

/** What differs from one revision to the next. */
export interface Revision extends Omit<Dialect, 'speak'> {
  /** The changelog against the revision before. */
  readonly changes: readonly Change[];
}

interface Next {
  readonly revision: string;
  readonly traits?: Partial<Omit<Dialect, 'speak' | 'revision' | 'vocabulary' | 'http' | 'errors'>>;
  readonly http?: Partial<Dialect['http']>;
  readonly errors?: Partial<Dialect['errors']>;
  /** Methods and notifications that come and go, by who sends them. */
  readonly client?: Vocabulary;
  readonly server?: Vocabulary;
  readonly changes: readonly Change[];
}

interface Vocabulary {
  readonly adds?: readonly string[];
  readonly drops?: readonly string[];
}

/** The next revision: the one before, and what differs. */
export function revise(before: Revision, next: Next): Revision {
  return {
    ...before,
    ...next.traits,
    revision: next.revision,
    http: { ...before.http, ...next.http },
    errors: { ...before.errors, ...next.errors },
    vocabulary: {
      client: revised(before.vocabulary.client, next.client),
      server: revised(before.vocabulary.server, next.server),
    },
    changes: next.changes,
  };
}

function revised(before: ReadonlySet<string>, { adds = [], drops = [] }: Vocabulary = {}): ReadonlySet<string> {
  return new Set([...before, ...adds].filter(name => !drops.includes(name)));
}

/** Turns revisions, oldest first, into dialects, newest first. A dialect speaks by the changes of all that came after it. */
export function compile(revisions: readonly Revision[]): Dialect[] {
  const dialects = revisions.map((revision, index) => {
    const { changes: _, ...traits } = revision;
    return { ...traits, speak: speech(revisions.slice(index + 1).flatMap(({ changes }) => changes)) };
  });
  return dialects.reverse();
}

function speech(unread: readonly Change[]): Speech {
  const down = words([...unread].reverse().map(change => change.down));
  const up = words(unread.map(change => change.up));
  return {
    down: { params: remembered(down, 'params'), result: remembered(down, 'result') },
    up: { params: remembered(up, 'params'), result: remembered(up, 'result') },
  };
}

function words(all: readonly (Words | undefined)[]): Words[] {
  return all.filter(each => each !== undefined);
}

/** Stands for all methods of which no change speaks. */
const COMMON = '';

/** Methods whose reshape is remembered, at the most. Peers may name what they like. */
const MOST = 200;

/** Each method's reshape is made when it is first asked for. Those that no change speaks of have one that is the same for all. */
function remembered(all: readonly Words[], side: 'params' | 'result'): (method: string) => Reshape | undefined {
  const made = new Map<string, Reshape | undefined>();
  const reshapeOf = (method: string): Reshape | undefined => {
    const known = made.get(method);
    if (known !== undefined || made.has(method)) return known;
    const isOwn = method === COMMON || all.some(each => touches(each, side, method));
    const reshape = isOwn ? fold(all, side, method) : reshapeOf(COMMON);
    if (made.size < MOST) made.set(method, reshape);
    return reshape;
  };
  return reshapeOf;
}
