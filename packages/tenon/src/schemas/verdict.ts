import { type OutputUnit, validate } from '@cfworker/json-schema';
import { TenonError } from '../jsonrpc/error.js';
import { explain } from './faults.js';
import { jsonType } from './leaves.js';
import { MAX_STEPS, type Prepared } from './preparation.js';
import type { Checked } from './validate.js';

/** Values inside a value for which all issues are looked for; in a larger one the first ends the search. */
const MAX_EXPLAINED = 5_000;

/** Does it on the first call; what it returned or threw is kept for the others. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | { readonly error: unknown } | undefined;
  return () => {
    if (made === undefined) {
      try {
        made = { value: make() };
      } catch (error) {
        made = { error };
      }
    }
    if ('error' in made) throw made.error;
    return made.value;
  };
}

/** What a prepared schema says of a value. Throws what `whyFailed` explains. */
export function verdict(prepared: Prepared, value: unknown): Checked {
  try {
    return judge(prepared, value, value);
  } catch (error) {
    if (TenonError.is(error) || error instanceof RangeError || error instanceof URIError) throw error;
    // What JSON has no word for is left out or rewritten on the wire: that is what is checked then.
    const text = JSON.stringify(value);
    if (text !== undefined) return judge(prepared, JSON.parse(text), value);
    return { ok: false, issues: [{ path: [], message: `expected a JSON value, got ${jsonType(value)}` }] };
  }
}

function judge(prepared: Prepared, json: unknown, value: unknown): Checked {
  const first = findFaults(prepared, json, true);
  if (first.length === 0) return { ok: true, value };
  const units = isSmall(json) ? findFaults(prepared, json, false) : first;
  return { ok: false, issues: explain(prepared, json, units) };
}

function findFaults({ root, draft, lookup, meter }: Prepared, json: unknown, onlyFirst: boolean): OutputUnit[] {
  meter.left = MAX_STEPS;
  meter.armed = true;
  try {
    return validate(json, root, draft, lookup, onlyFirst).errors;
  } finally {
    meter.armed = false;
  }
}

function isSmall(json: unknown): boolean {
  let left = MAX_EXPLAINED;
  const waiting = [json];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    const inside = Object.values(value);
    left -= inside.length;
    if (left < 0) return false;
    for (const each of inside) waiting.push(each);
  }
  return true;
}

export function whyFailed(error: unknown): string {
  if (error instanceof RangeError) return 'it is nested too deeply or too large';
  if (error instanceof URIError) return 'a name in it is not well-formed Unicode';
  return 'it is not JSON';
}
