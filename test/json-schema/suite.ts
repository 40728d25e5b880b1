import { readFileSync } from 'node:fs';
import type { JsonObject } from '../../packages/base/src/json/json-object.js';

/** Cases of the official suite that share a schema. */
export interface SuiteGroup {
  readonly file: string;
  readonly group: string;
  readonly schema: JsonObject | boolean;
  readonly tests: readonly (readonly [description: string, data: unknown, valid: boolean])[];
}

/** The drafts of the official suite, with their `$schema`. */
export const DRAFTS = {
  draft7: 'http://json-schema.org/draft-07/schema#',
  'draft2019-09': 'https://json-schema.org/draft/2019-09/schema',
  'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
} as const;

export type SuiteDraft = keyof typeof DRAFTS;

/** Reads the groups of a draft. */
export function readSuite(draft: SuiteDraft): SuiteGroup[] {
  return readFileSync(new URL(`suite/${draft}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as SuiteGroup);
}

/** The schema of a group as a document, which needs an object at its root. */
export function toDocument({ schema }: SuiteGroup, draft: SuiteDraft): JsonObject {
  return { $schema: DRAFTS[draft], ...(typeof schema === 'object' ? schema : { allOf: [schema] }) };
}
