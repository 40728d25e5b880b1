import { describe, expect, it } from 'vitest';
import { compilePeerSchema } from '../../packages/tenon/src/schemas/peer-schema.js';
import { DRAFTS, readSuite, type SuiteDraft, type SuiteGroup, toDocument } from './suite.js';
import { findUnsupported, UNSUPPORTED } from './unsupported.js';

const drafts = Object.keys(DRAFTS) as SuiteDraft[];

/** The cases of a group that are not judged as the suite says, and the judgement. */
function findDifferences(group: SuiteGroup, draft: SuiteDraft): [description: string, ok: boolean | null][] {
  const validator = compilePeerSchema(toDocument(group, draft));
  return group.tests.flatMap(([description, data, valid]) => {
    const { ok } = validator.check(data);
    return ok === valid ? [] : [[description, ok]];
  });
}

describe.each(drafts)('the official test suite of %s', draft => {
  const groups = readSuite(draft);

  it('passes for every group that is not listed as unsupported [schema.dialect.validate-by-dialect]', () => {
    const supported = groups.filter(({ file, group }) => findUnsupported(file, group) === undefined);
    expect(supported.length).toBeGreaterThan(250);
    for (const group of supported) {
      expect([group.file, group.group, findDifferences(group, draft)]).toEqual([group.file, group.group, []]);
    }
  });

  it('reports that a schema with references to other documents cannot be checked', () => {
    for (const group of groups) {
      if (findUnsupported(group.file, group.group)?.outcome !== 'cannot judge') continue;
      for (const [, ok] of findDifferences(group, draft))
        expect([group.file, group.group, ok]).toEqual([group.file, group.group, null]);
    }
  });
});

it('lists as unsupported only groups that differ', () => {
  const differing = new Set<string>();
  for (const draft of drafts) {
    for (const group of readSuite(draft)) {
      if (findDifferences(group, draft).length > 0) differing.add(`${group.file}: ${group.group}`).add(group.file);
    }
  }
  const listed = UNSUPPORTED.flatMap(({ files }) =>
    Object.entries(files).flatMap(([file, groups]) =>
      groups === 'all' ? [file] : groups.map(name => `${file}: ${name}`),
    ),
  );
  expect(listed.filter(name => !differing.has(name))).toEqual([]);
});
