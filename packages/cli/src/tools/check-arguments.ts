import { compilePeerSchema, type JsonObject, TenonError } from 'tenon';

/** Maximum number of problems that an error lists. */
const MAX_PROBLEMS = 5;

/**
 * Checks arguments by the schema of a tool before they are sent. Throws `cli/usage` with each problem. A schema that
 * cannot be used to validate is left to the server.
 */
export function checkArguments(args: JsonObject, schema: JsonObject, signature: string): void {
  const checked = compilePeerSchema(schema).check(args);
  if (checked.ok !== false) return;
  const problems = checked.issues.slice(0, MAX_PROBLEMS).map(({ path, message }) => {
    return path.length === 0 ? message : `argument "${path.join('.')}": ${message}`;
  });
  throw new TenonError('cli/usage', problems.join('; '), { hint: `call it as ${signature}` });
}
