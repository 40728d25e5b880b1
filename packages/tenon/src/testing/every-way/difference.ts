import { canonical } from '../../conversation/asking/canonical.js';
import { TenonError } from '../../jsonrpc/error.js';
import { besides, cutShort, type Deed, markOf, shown } from './deed.js';
import type { Observation, Seen } from './observation.js';

export function nameOf({ road: { name, dialect } }: Observation): string {
  return `${name} (${dialect.revision})`;
}

const OUTSIDE = 'put what differs from time to time (the clock, chance, what was read) into a `ctx.step`';
const AGAIN = 'put it into a `ctx.step`: the handler is entered again after a question, and after a crash';
const STEPS = 'give each step a name of its own, and return what went wrong from it: what throws is done again';

/** Throws when the handler did something else this way than the first one. */
export function compareWays(
  expected: Observation,
  way: Observation,
  compare: ((v: unknown) => unknown) | undefined,
): void {
  if (way.lacks.length > 0) return;
  compareSeen(expected, way);
  compareEffects(expected, way);
  if (!expected.returns) {
    const [one, other] = [expected.outcome, way.outcome].map(value => canonical(compare ? compare(value) : value));
    if (one !== other)
      throw differ(way, `came to ${cutShort(other ?? '')}`, expected, `came to ${cutShort(one ?? '')}`, OUTSIDE);
  }
}

/** Throws when the client got something else than in another way of the same revision. */
export function compareResults(first: Observation, way: Observation): void {
  const [one, other] = [first, way].map(({ result, error }) => {
    const { _meta, resultType, ...rest } = result ?? {};
    return canonical(error ? { code: error.code } : rest);
  });
  if (one === other) return;
  throw differ(way, `answered ${cutShort(other ?? '')}`, first, `answered ${cutShort(one ?? '')}`, OUTSIDE);
}

/** Something that the handler comes to in this way, and did not in the first: here, or at all. */
export function strayed(expected: Observation, way: Observation, deeds: readonly Deed[]): TenonError | undefined {
  const last = deeds.at(-1) as Deed;
  const inOrder = !expected.overlaps && !way.overlaps;
  const instead = inOrder ? expected.deeds[deeds.length - 1] : besides(expected.deeds, deeds)[0];
  const fits = inOrder
    ? instead !== undefined && markOf(instead) === markOf(last)
    : besides(deeds, expected.deeds).length === 0;
  if (fits) return undefined;
  const there = instead ? `came to ${shown(instead)}` : 'came to nothing more';
  return differ(way, `came to ${shown(last)}`, expected, there, OUTSIDE);
}

/** Something that the handler came to in the first way, and in this one has ended without. */
export function missed(expected: Observation, way: Observation, deeds: readonly Deed[]): TenonError | undefined {
  const [first] = besides(expected.deeds, deeds);
  return first && differ(way, `came to its end without ${shown(first)}`, expected, 'did not', OUTSIDE);
}

function compareSeen(expected: Observation, way: Observation): void {
  const same = expected.road.dialect === way.road.dialect;
  const [one, other] = [expected, way].map(each => each.seen.map(seen => essence(seen, same))) as [object[], object[]];
  const [more] = besides(other, one);
  if (more) throw counted(expected, one, way, other, more);
  const [fewer] = besides(one, other);
  if (fewer) throw counted(expected, one, way, other, fewer);
  if (expected.overlaps || way.overlaps) return;
  const at = one.findIndex((each, place) => markOf(each) !== markOf(other[place] as object));
  if (at < 0) return;
  throw differ(way, `${said(other[at] as Seen)} here`, expected, said(one[at] as Seen), OUTSIDE);
}

/** To a client of another revision a question looks a little different; what is asked was compared where it was asked. */
function essence(seen: Seen, sameRevision: boolean): object {
  if ('step' in seen) return seen;
  // Where one is needed and the handler gave none it is made up.
  const { elicitationId: _, ...params } = seen.params;
  if (sameRevision) return { question: seen.question, params };
  const { message, url } = params;
  return { question: seen.question, params: { ...(message ? { message } : {}), ...(url ? { url } : {}) } };
}

function counted(expected: Observation, one: object[], way: Observation, other: object[], what: object): TenonError {
  const [here, there] = [other, one].map(all => all.filter(each => markOf(each) === markOf(what)).length) as [
    number,
    number,
  ];
  const next = 'step' in what ? STEPS : OUTSIDE;
  return differ(way, `${said(what as Seen)} ${times(here)}`, expected, times(there), next);
}

function said(seen: Seen): string {
  if ('step' in seen) return `ran the step "${seen.step}"`;
  return `asked the client ${shown(seen)}`;
}

/** A step that was cut short runs again, and with it what it does: more of that, but nothing else, is no difference. */
function compareEffects(expected: Observation, way: Observation): void {
  const [one, other] = [expected, way].map(({ effects }) => effects.map(effect => ({ effect }))) as [
    Effect[],
    Effect[],
  ];
  const [fewer] = besides(one, other);
  if (fewer) throw did(expected, one, way, other, fewer);
  const more = besides(other, one).find(each => way.cuts === 0 || !one.some(known => markOf(known) === markOf(each)));
  if (more) throw did(expected, one, way, other, more);
  if (expected.overlaps || way.overlaps || way.cuts > 0) return;
  const at = one.findIndex((each, place) => markOf(each) !== markOf(other[place] as Effect));
  if (at >= 0) throw differ(way, `did ${told(other[at])} here`, expected, `did ${told(one[at])}`, AGAIN);
}

interface Effect {
  readonly effect: unknown;
}

function did(expected: Observation, one: Effect[], way: Observation, other: Effect[], what: Effect): TenonError {
  const count = (all: Effect[]) => all.filter(each => markOf(each) === markOf(what)).length;
  return differ(way, `did ${told(what)} ${times(count(other))}`, expected, times(count(one)), AGAIN);
}

function told(what: Effect | undefined): string {
  return cutShort(canonical(what?.effect));
}

function times(count: number): string {
  return ['not at all', 'once', 'twice'][count] ?? `${count} times`;
}

function differ(way: Observation, here: string, first: Observation, there: string, next: string): TenonError {
  return new TenonError('testing/ways-differ', `${nameOf(way)} ${here}, where ${nameOf(first)} ${there}`, { next });
}
