import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { compilePeerSchema } from '../../packages/tenon/src/schemas/peer-schema.js';
import { readSuite, type SuiteDraft, toDocument } from './suite.js';

/** An invalid case of the official suite, and the issues that are reported for it. */
type RecordedCase = readonly [
  draft: SuiteDraft,
  file: string,
  group: string,
  description: string,
  issues: readonly (readonly [path: readonly (string | number)[], message: string])[],
];

const recorded = readFileSync(new URL('messages.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line) as RecordedCase);

it('reports the paths and messages that are recorded', () => {
  const drafts = new Map(
    (['draft2019-09', 'draft2020-12'] as const).map(draft => [draft as SuiteDraft, readSuite(draft)]),
  );
  expect(recorded.length).toBeGreaterThan(600);
  for (const [draft, file, name, description, issues] of recorded) {
    const group = drafts.get(draft)?.find(each => each.file === file && each.group === name);
    const data = group?.tests.find(([title]) => title === description)?.[1];
    const result = group && compilePeerSchema(toDocument(group, draft)).check(data);
    const reported = result?.ok === false ? result.issues.map(({ path, message }) => [path, message]) : result;
    expect([file, name, description, reported]).toEqual([file, name, description, issues]);
  }
});
