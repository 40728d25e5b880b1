import type { OutputUnit } from '@cfworker/json-schema';
import type { Issue } from './issues.js';
import { createKeywordIssues, createTypeIssue } from './keyword-messages.js';
import { locateValue, readKeyword } from './locations.js';
import type { PreparedSchema } from './prepare-schema.js';

/** Maximum number of issues that are reported for one value. */
const MAX_ISSUES = 100;

/** Keywords that fail only because a keyword inside them fails. */
const WRAPPERS = new Set([
  ...['$ref', '$recursiveRef', 'allOf', 'if', 'dependentSchemas', 'properties', 'patternProperties'],
  ...['additionalProperties', 'unevaluatedProperties', 'items', 'prefixItems', 'additionalItems', 'unevaluatedItems'],
]);

/** A value with its failed keywords, in the order of the schema. A keyword comes before the keywords inside it. */
interface FailedValue {
  readonly prepared: PreparedSchema;
  readonly value: unknown;
}

/** Converts the validator's errors to issues. Only the innermost causes are reported, each once. */
export function explainErrors(prepared: PreparedSchema, value: unknown, units: readonly OutputUnit[]): Issue[] {
  const seen = new Set<string>();
  const issues: Issue[] = [];
  for (const issue of collapseErrors(withoutContained(units), { prepared, value })) {
    const key = JSON.stringify([issue.path, issue.message]);
    if (seen.has(key)) continue;
    seen.add(key);
    issues.push(issue);
    if (issues.length === MAX_ISSUES) break;
  }
  return issues;
}

/** Removes the errors of single items in `contains` when the validator also reports that too few items match. */
function withoutContained(units: readonly OutputUnit[]): readonly OutputUnit[] {
  const places = units.filter(unit => unit.keyword === 'minContains').map(unit => getParent(unit.keywordLocation));
  if (places.length === 0) return units;
  return units.filter(unit => !places.some(place => unit.keywordLocation.startsWith(`${place}/contains/`)));
}

function collapseErrors(units: readonly OutputUnit[], failure: FailedValue): Issue[] {
  const issues: Issue[] = [];
  for (let i = 0; i < units.length && issues.length < MAX_ISSUES; ) {
    const unit = units[i] as OutputUnit;
    const end = findEnd(units, i);
    const inner = units.slice(i + 1, end);
    if (unit.keyword === 'anyOf' || unit.keyword === 'oneOf') issues.push(...explainChoice(unit, inner, failure));
    else if (!WRAPPERS.has(unit.keyword) || inner.length === 0) issues.push(...explainLeaf(unit, failure));
    else if (unit.keyword === 'unevaluatedProperties') issues.push(...explainUnevaluated(inner, units, failure));
    else issues.push(...collapseErrors(inner, failure));
    i = end;
  }
  return issues;
}

/**
 * Explains unevaluated members. A member that is invalid itself also counts as unevaluated, so it is reported only
 * once.
 */
function explainUnevaluated(inner: readonly OutputUnit[], all: readonly OutputUnit[], failure: FailedValue): Issue[] {
  const isReported = (place: string) =>
    all.some(other => !inner.includes(other) && isWithin(other.instanceLocation, place) && other.keyword !== 'false');
  return collapseErrors(
    inner.filter(unit => !isReported(unit.instanceLocation)),
    failure,
  );
}

function explainLeaf(unit: OutputUnit, { prepared, value }: FailedValue): Issue[] {
  return createKeywordIssues(
    unit,
    locateValue(value, unit.instanceLocation),
    readKeyword(prepared, unit.keywordLocation),
  );
}

/** Returns the end index of the units inside the unit at `start`. A `false` schema has no location of its own. */
function findEnd(units: readonly OutputUnit[], start: number): number {
  const { keyword, keywordLocation } = units[start] as OutputUnit;
  if (keyword === 'false') return start + 1;
  const parent = getParent(keywordLocation);
  const prefixes = keyword === 'if' ? [`${parent}/then`, `${parent}/else`] : [keywordLocation];
  let end = start + 1;
  for (; end < units.length; end++) {
    const { keyword: inner, keywordLocation: location } = units[end] as OutputUnit;
    if (inner !== 'false' && !prefixes.some(prefix => location.startsWith(`${prefix}/`))) break;
  }
  return end;
}

/** Explains the failure of `anyOf` or `oneOf` by the alternative that the author of the value most likely meant. */
function explainChoice(unit: OutputUnit, inner: readonly OutputUnit[], failure: FailedValue): Issue[] {
  const here = locateValue(failure.value, unit.instanceLocation);
  const matches = Number(/\((\d+) matches\)/.exec(unit.error)?.[1] ?? 0);
  if (matches > 1) return [{ path: here.path, message: `fits ${matches} of the forms that exclude each other` }];
  const forms = groupForms(unit, inner);
  const ofType = forms.filter(form => !form.some(each => each.keyword === 'type' && isAt(each, unit)));
  if (ofType.length === 0) {
    const types = forms.flat().filter(each => each.keyword === 'type' && isAt(each, unit));
    return [
      createTypeIssue(
        here,
        types.flatMap(each => readKeyword(failure.prepared, each.keywordLocation)),
      ),
    ];
  }
  const matching = ofType.filter(form => !form.some(each => isTag(each, unit)));
  const [form] = matching.length > 0 ? matching : ofType;
  if (form !== undefined && (matching.length || ofType.length) === 1) return collapseErrors(form, failure);
  return (
    createTagIssue(ofType, unit, failure) ?? [
      { path: here.path, message: `fits none of the ${forms.length} allowed forms` },
    ]
  );
}

function groupForms(unit: OutputUnit, inner: readonly OutputUnit[]): OutputUnit[][] {
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

/** Creates the issue of alternatives that differ by a constant. The issue lists all values of the constant. */
function createTagIssue(forms: readonly OutputUnit[][], unit: OutputUnit, failure: FailedValue): Issue[] | undefined {
  const tags = forms.map(form => form.find(each => isTag(each, unit)));
  const [first] = tags;
  if (first === undefined || tags.some(tag => tag?.instanceLocation !== first.instanceLocation)) return undefined;
  const allowed = tags.flatMap(tag => {
    const keyword = tag && readKeyword(failure.prepared, tag.keywordLocation);
    return tag?.keyword === 'enum' && Array.isArray(keyword) ? keyword : [keyword];
  });
  return createKeywordIssues(
    { ...first, keyword: 'enum' },
    locateValue(failure.value, first.instanceLocation),
    allowed,
  );
}

function isTag(each: OutputUnit, unit: OutputUnit): boolean {
  if (each.keyword !== 'const' && each.keyword !== 'enum') return false;
  return isAt(each, unit) || getParent(each.instanceLocation) === unit.instanceLocation;
}

function isAt(each: OutputUnit, unit: OutputUnit): boolean {
  return each.instanceLocation === unit.instanceLocation;
}

function isWithin(location: string, place: string): boolean {
  return location === place || location.startsWith(`${place}/`);
}

function getParent(location: string): string {
  return location.slice(0, Math.max(0, location.lastIndexOf('/')));
}
