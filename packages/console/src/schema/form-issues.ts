import type { Json } from '../api.js';

/** An issue of a value. */
export interface FormIssue {
  /** `/a/0/b`. */
  readonly path: string;
  readonly message: string;
}

/** Checks arguments by the JSON Schema of a tool. The validator of the library is loaded on first use. */
export async function findFormIssues(schema: Json, value: unknown): Promise<readonly FormIssue[]> {
  const { loadPeerSchema } = await import('./schema-validator.js');
  const checked = (await loadPeerSchema(schema)).check(value);
  if (checked.ok === true) return [];
  if (checked.ok === null) return [{ path: '', message: checked.reason }];
  return checked.issues.map(({ path, message }) => ({ path: path.map(each => `/${String(each)}`).join(''), message }));
}
