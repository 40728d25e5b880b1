import type { Issue } from './issues.js';
import { faultIssues, typeIssue } from './leaves.js';
import type { Fault, Path } from './walk.js';

/** Issues of one value at most. */
const MAX_ISSUES = 100;

/** Turns what was found into issues: each once. */
export function explain(faults: readonly Fault[]): Issue[] {
  const issues = new Map<string, Issue>();
  for (const fault of faults) {
    for (const issue of issuesOf(fault)) {
      issues.set(JSON.stringify([issue.path, issue.message]), issue);
      if (issues.size === MAX_ISSUES) return [...issues.values()];
    }
  }
  return [...issues.values()];
}

function issuesOf(fault: Fault): Issue[] {
  return fault.keyword === 'anyOf' || fault.keyword === 'oneOf' ? choose(fault) : faultIssues(fault);
}

/** Of several forms that a value may have, explains the one that was meant, where that can be told. */
function choose(fault: Fault): Issue[] {
  const { path, said, forms } = fault;
  const all = Array.isArray(said) ? said.length : 0;
  if (forms.length < all) return [{ path, message: `fits ${all - forms.length} of the forms that exclude each other` }];
  const isOtherType = (each: Fault) => each.keyword === 'type' && isAt(each.path, path);
  const flat = forms.map(form => form.flatMap(withInner));
  const ofType = flat.filter(form => !form.some(isOtherType));
  if (ofType.length === 0) {
    const types = flat.flat().filter(isOtherType);
    return [
      typeIssue(
        fault,
        types.flatMap(each => each.said),
      ),
    ];
  }
  const meant = ofType.filter(form => !form.some(each => isTag(each, path)));
  const [form, ...others] = meant.length > 0 ? meant : ofType;
  if (form !== undefined && others.length === 0) return (forms[flat.indexOf(form)] ?? []).flatMap(issuesOf);
  return tagIssues(ofType, path) ?? [{ path, message: `fits none of the ${forms.length} allowed forms` }];
}

function withInner(fault: Fault): Fault[] {
  return [fault, ...fault.forms.flat().flatMap(withInner)];
}

/** Where forms differ by a constant, all that it could be. */
function tagIssues(forms: readonly (readonly Fault[])[], path: Path): Issue[] | undefined {
  const tags = forms.map(form => form.find(each => isTag(each, path)));
  const [first] = tags;
  if (first === undefined || tags.some(tag => tag === undefined || !isAt(tag.path, first.path))) return undefined;
  const said = tags.flatMap(tag => (tag?.keyword === 'enum' ? (tag.said as unknown[]) : [tag?.said]));
  return faultIssues({ ...first, keyword: 'enum', said });
}

/** A constant that tells forms apart: the value itself, or a member of it. */
function isTag({ keyword, path: at }: Fault, path: Path): boolean {
  if (keyword !== 'const' && keyword !== 'enum') return false;
  return isAt(at, path) || isAt(at.slice(0, -1), path);
}

function isAt(one: Path, other: Path): boolean {
  return one.length === other.length && one.every((key, at) => key === other[at]);
}
