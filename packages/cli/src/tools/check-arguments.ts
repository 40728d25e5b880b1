import { type JsonObject, loadPeerSchema, TenonError } from 'tenon';

/** Maximum number of issues that an error lists. */
const MAX_ISSUES = 5;

/**
 * Checks arguments against the schema of a tool before they are sent. If the schema is unusable, or the check would
 * take too long, the server must check them: the user of the command wrote the arguments.
 *
 * @param formatSignature Formats the tool for an error.
 * @throws TenonError `cli/usage` with each issue.
 */
export async function checkArguments(
  args: JsonObject,
  schema: JsonObject,
  formatSignature: () => string | Promise<string>,
): Promise<void> {
  const checked = (await loadPeerSchema(schema)).check(args);
  if (checked.ok !== false) return;
  const issues = checked.issues.slice(0, MAX_ISSUES).map(({ path, message }) => {
    return path.length === 0 ? message : `argument "${path.join('.')}": ${message}`;
  });
  throw new TenonError('cli/usage', issues.join('; '), { hint: `call it as ${await formatSignature()}` });
}
