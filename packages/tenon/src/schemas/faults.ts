import type { OutputUnit } from '@cfworker/json-schema';
import type { Issue } from './issues.js';
import { leafIssues, typeIssue } from './leaves.js';
import { keywordAt, placeOf } from './places.js';
import type { Prepared } from './preparation.js';

/** Issues of one value at most. */
const MAX_ISSUES = 100;

/** Keywords that fail only because something inside them does. */
const WRAPPERS = new Set([
  ...['$ref', '$recursiveRef', 'allOf', 'if', 'dependentSchemas', 'properties', 'patternProperties'],
  ...['additionalProperties', 'unevaluatedProperties', 'items', 'prefixItems', 'additionalItems', 'unevaluatedItems'],
]);

/** What failed, in the validator's words: keywords in the order of the schema, each before those inside it. */
interface Failure {
  readonly prepared: Prepared;
  readonly value: unknown;
}

/** Turns what the validator found into issues: only the innermost causes, each once. */
export function explain(prepared: Prepared, value: unknown, units: readonly OutputUnit[]): Issue[] {
  const seen = new Set<string>();
  const issues: Issue[] = [];
  for (const issue of collapse(withoutContained(units), { prepared, value })) {
    const key = JSON.stringify([issue.path, issue.message]);
    if (seen.has(key)) continue;
    seen.add(key);
    issues.push(issue);
    if (issues.length === MAX_ISSUES) break;
  }
  return issues;
}

/** The validator leaves what single items lacked before it says that too few fit. */
function withoutContained(units: readonly OutputUnit[]): readonly OutputUnit[] {
  const places = units.filter(unit => unit.keyword === 'minContains').map(unit => parentOf(unit.keywordLocation));
  if (places.length === 0) return units;
  return units.filter(unit => !places.some(place => unit.keywordLocation.startsWith(`${place}/contains/`)));
}

function collapse(units: readonly OutputUnit[], failure: Failure): Issue[] {
  const issues: Issue[] = [];
  for (let i = 0; i < units.length && issues.length < MAX_ISSUES; ) {
    const unit = units[i] as OutputUnit;
    const end = endOf(units, i);
    const inner = units.slice(i + 1, end);
    if (unit.keyword === 'anyOf' || unit.keyword === 'oneOf') issues.push(...choose(unit, inner, failure));
    else if (!WRAPPERS.has(unit.keyword) || inner.length === 0) issues.push(...leaf(unit, failure));
    else if (unit.keyword === 'unevaluatedProperties') issues.push(...unevaluated(inner, units, failure));
    else issues.push(...collapse(inner, failure));
    i = end;
  }
  return issues;
}

/** A member that is wrong itself counts as unevaluated too: once is enough. */
function unevaluated(inner: readonly OutputUnit[], all: readonly OutputUnit[], failure: Failure): Issue[] {
  const isReported = (place: string) =>
    all.some(other => !inner.includes(other) && isWithin(other.instanceLocation, place) && other.keyword !== 'false');
  return collapse(
    inner.filter(unit => !isReported(unit.instanceLocation)),
    failure,
  );
}

function leaf(unit: OutputUnit, { prepared, value }: Failure): Issue[] {
  return leafIssues(unit, placeOf(value, unit.instanceLocation), keywordAt(prepared, unit.keywordLocation));
}

/** Where the units inside of the unit at `start` end. A `false` schema has no location of its own. */
function endOf(units: readonly OutputUnit[], start: number): number {
  const { keyword, keywordLocation } = units[start] as OutputUnit;
  if (keyword === 'false') return start + 1;
  const parent = parentOf(keywordLocation);
  const prefixes = keyword === 'if' ? [`${parent}/then`, `${parent}/else`] : [keywordLocation];
  let end = start + 1;
  for (; end < units.length; end++) {
    const { keyword: inner, keywordLocation: location } = units[end] as OutputUnit;
    if (inner !== 'false' && !prefixes.some(prefix => location.startsWith(`${prefix}/`))) break;
  }
  return end;
}

/** Of several forms that a value may have, explains the one that was meant, where that can be told. */
function choose(unit: OutputUnit, inner: readonly OutputUnit[], failure: Failure): Issue[] {
  const here = placeOf(failure.value, unit.instanceLocation);
  const matches = Number(/\((\d+) matches\)/.exec(unit.error)?.[1] ?? 0);
  if (matches > 1) return [{ path: here.path, message: `fits ${matches} of the forms that exclude each other` }];
  const forms = formsOf(unit, inner);
  const ofType = forms.filter(form => !form.some(each => each.keyword === 'type' && isAt(each, unit)));
  if (ofType.length === 0) {
    const types = forms.flat().filter(each => each.keyword === 'type' && isAt(each, unit));
    return [
      typeIssue(
        here,
        types.flatMap(each => keywordAt(failure.prepared, each.keywordLocation)),
      ),
    ];
  }
  const meant = ofType.filter(form => !form.some(each => isTag(each, unit)));
  const [form] = meant.length > 0 ? meant : ofType;
  if (form !== undefined && (meant.length || ofType.length) === 1) return collapse(form, failure);
  return (
    tagIssue(ofType, unit, failure) ?? [{ path: here.path, message: `fits none of the ${forms.length} allowed forms` }]
  );
}

function formsOf(unit: OutputUnit, inner: readonly OutputUnit[]): OutputUnit[][] {
  const forms = new Map<string, OutputUnit[]>();
  let current = '';
  for (const each of inner) {
    if (each.keyword !== 'false')
      current = each.keywordLocation.slice(unit.keywordLocation.length + 1).split('/', 1)[0] ?? '';
    const form = forms.get(current);
    if (form === undefined) forms.set(current, [each]);
    else form.push(each);
  }
  return [...forms.values()];
}

/** Where forms differ by a constant, all that it could be. */
function tagIssue(forms: readonly OutputUnit[][], unit: OutputUnit, failure: Failure): Issue[] | undefined {
  const tags = forms.map(form => form.find(each => isTag(each, unit)));
  const [first] = tags;
  if (first === undefined || tags.some(tag => tag?.instanceLocation !== first.instanceLocation)) return undefined;
  const allowed = tags.flatMap(tag => {
    const said = tag && keywordAt(failure.prepared, tag.keywordLocation);
    return tag?.keyword === 'enum' && Array.isArray(said) ? said : [said];
  });
  return leafIssues({ ...first, keyword: 'enum' }, placeOf(failure.value, first.instanceLocation), allowed);
}

function isTag(each: OutputUnit, unit: OutputUnit): boolean {
  if (each.keyword !== 'const' && each.keyword !== 'enum') return false;
  return isAt(each, unit) || parentOf(each.instanceLocation) === unit.instanceLocation;
}

function isAt(each: OutputUnit, unit: OutputUnit): boolean {
  return each.instanceLocation === unit.instanceLocation;
}

function isWithin(location: string, place: string): boolean {
  return location === place || location.startsWith(`${place}/`);
}

function parentOf(location: string): string {
  return location.slice(0, Math.max(0, location.lastIndexOf('/')));
}
