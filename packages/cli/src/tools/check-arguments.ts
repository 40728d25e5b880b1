import { type JsonObject, loadPeerSchema, TenonError } from 'tenon';

/** Maximum number of problems that an error lists. */
const MAX_PROBLEMS = 5;

/**
 * Checks arguments against the schema of a tool before they are sent. If the schema is unusable, or the check would
 * take too long, the server must check them: the user of the command wrote the arguments.
 *
 * @param formatSignature Formats the tool for an error.
 * @throws TenonError `cli/usage` with each problem.
 */
export async function checkArguments(
  args: JsonObject,
  schema: JsonObject,
  formatSignature: () => string | Promise<string>,
): Promise<void> {
  const checked = (await loadPeerSchema(schema)).check(args);
  if (checked.ok !== false) return;
  const problems = checked.issues.slice(0, MAX_PROBLEMS).map(({ path, message }) => {
    return path.length === 0 ? message : `argument "${path.join('.')}": ${message}`;
  });
  throw new TenonError('cli/usage', problems.join('; '), { hint: `call it as ${await formatSignature()}` });
}
