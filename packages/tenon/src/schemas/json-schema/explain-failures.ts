import { type Issue, toJsonPointer } from '@tenon/base';
import type { Failure } from './check-run.js';
import {
  createCounter,
  createIssue,
  createKeywordIssues,
  describeTypes,
  type PartCounter,
} from './keyword-messages.js';

/** Maximum number of issues of one value. */
const MAX_ISSUES = 100;

/** Keywords that fail only because a subschema does. */
const WRAPPERS = new Set([
  ...['$ref', '$dynamicRef', '$recursiveRef', 'allOf', 'form', 'if', 'dependentSchemas', 'properties'],
  ...['patternProperties', 'additionalProperties', 'unevaluatedProperties'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems'],
]);

/** Converts failures to issues. Only the innermost causes are reported, each once. */
export function explainFailures(failures: readonly Failure[]): Issue[] {
  const issues = new Map<string, Issue>();
  for (const issue of collapseFailures(failures, createCounter())) {
    const key = `${toJsonPointer(issue.path)}\n${issue.message}`;
    if (!issues.has(key)) issues.set(key, issue);
    if (issues.size === MAX_ISSUES) break;
  }
  return [...issues.values()];
}

function collapseFailures(failures: readonly Failure[], counter: PartCounter): Issue[] {
  const issues: Issue[] = [];
  for (const failure of failures) {
    if (issues.length >= MAX_ISSUES) break;
    const { keyword, inner } = failure;
    if (keyword === 'anyOf' || keyword === 'oneOf') issues.push(...explainChoice(failure, counter));
    else if (keyword === 'unevaluatedProperties') issues.push(...explainUnevaluated(failure, failures, counter));
    else
      issues.push(
        ...(WRAPPERS.has(keyword) ? collapseFailures(inner, counter) : createKeywordIssues(failure, counter)),
      );
  }
  return issues;
}

/** Explains unevaluated members. A member that fails itself also counts as unevaluated, so it is reported only once. */
function explainUnevaluated(failure: Failure, siblings: readonly Failure[], counter: PartCounter): Issue[] {
  const others = flatten(siblings.filter(sibling => sibling !== failure)).filter(({ keyword }) => keyword !== 'false');
  // All of them are about the same value, so their paths differ only after its path.
  const place = failure.path.length;
  const reported = new Set(others.flatMap(({ path }) => path[place] ?? []));
  const isReported = ({ path: { [place]: key } }: Failure) => key !== undefined && reported.has(key);
  return collapseFailures(
    failure.inner.filter(inner => !isReported(inner)),
    counter,
  );
}

/** Explains the alternative that was most likely meant, of several that a value may match. */
function explainChoice(choice: Failure, counter: PartCounter): Issue[] {
  const { path, expected } = choice;
  const matches = (Array.isArray(expected) ? expected.length : 0) - choice.inner.length;
  if (matches > 1) return [createIssue(path, `fits ${matches} of the forms that exclude each other`)];
  // The alternative `false` is never the intended one.
  const inner = choice.inner.filter(form => form.inner[0]?.keyword !== 'false');
  if (inner.length === 0) return collapseFailures(choice.inner, counter);
  const forms = inner.map(form => flatten(form.inner));
  // The path of an inner failure begins with the path of the choice.
  const isOfOtherType = (each: Failure) => each.keyword === 'type' && each.path.length === path.length;
  const ofType = inner.filter((_, index) => !forms[index]?.some(isOfOtherType));
  if (ofType.length === 0) {
    const mismatches = forms.flat().filter(isOfOtherType);
    const types = new Set(mismatches.flatMap(each => each.expected));
    return [createIssue(path, describeTypes([...types], choice.value))];
  }
  const matching = ofType.filter(form => findTag(form, choice) === undefined);
  const [form] = matching.length > 0 ? matching : ofType;
  if (form !== undefined && (matching.length || ofType.length) === 1) return collapseFailures(form.inner, counter);
  return (
    createTagIssues(ofType, choice, counter) ?? [createIssue(path, `fits none of the ${forms.length} allowed forms`)]
  );
}

/** Creates the issue of alternatives that differ by a constant: lists all its values. */
function createTagIssues(forms: readonly Failure[], choice: Failure, counter: PartCounter): Issue[] | undefined {
  const tags = forms.map(form => findTag(form, choice));
  const [first] = tags;
  const name = first?.path.join('/');
  if (first === undefined || tags.some(tag => tag?.path.join('/') !== name)) return undefined;
  const expected = tags.flatMap(tag => (tag?.keyword === 'enum' ? tag.expected : [tag?.expected]));
  return createKeywordIssues({ ...first, keyword: 'enum', expected }, counter);
}

/** Finds the constant that distinguishes an alternative from others: the value or a member of it. */
function findTag(form: Failure, choice: Failure): Failure | undefined {
  return flatten(form.inner).find(
    ({ keyword, path }) => (keyword === 'const' || keyword === 'enum') && path.length <= choice.path.length + 1,
  );
}

/** Lists failures. A failure comes before the failures inside it. */
function flatten(failures: readonly Failure[], all: Failure[] = []): Failure[] {
  for (const failure of failures) {
    all.push(failure);
    flatten(failure.inner, all);
  }
  return all;
}
