import { TenonError } from '@tenon/base';
import type { JsonSchema } from './standard.js';

/**
 * The JSON Schema dialects that the validator supports.
 * @see https://json-schema.org/specification
 */
export type Draft = '7' | '2019-09' | '2020-12';

const DRAFTS: ReadonlyMap<string, Draft> = new Map<string, Draft>([
  ['json-schema.org/draft-07/schema', '7'],
  ['json-schema.org/draft/2019-09/schema', '2019-09'],
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
]);

/**
 * Returns the JSON Schema dialect of a schema: its `$schema`, else 2020-12.
 * @throws TenonError `schema/unknown-dialect` when it is not draft-07, 2019-09 or 2020-12.
 */
export function detectDraft(json: JsonSchema): Draft {
  const { $schema } = json;
  if ($schema === undefined) return '2020-12';
  const name = typeof $schema === 'string' ? $schema.replace(/^https?:\/\//, '').replace(/#$/, '') : undefined;
  const draft = name === undefined ? undefined : DRAFTS.get(name);
  if (draft !== undefined) return draft;
  throw new TenonError('schema/unknown-dialect', 'unsupported "$schema" in a JSON Schema', {
    expected: 'draft-07, 2019-09 or 2020-12',
    received: JSON.stringify($schema)?.slice(0, 120),
    hint: 'write the schema in JSON Schema 2020-12, or remove "$schema"',
  });
}
