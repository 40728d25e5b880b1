import { TenonError } from 'tenon';

/** Creates the error for invalid arguments. The process ends with the exit code 2. */
export function createUsageError(summary: string, hint: string): TenonError {
  return new TenonError('cli/usage', summary, { hint });
}

/**
 * Returns the value of the environment variable that an option names. Errors show neither the value nor the name,
 * because some users pass the secret itself instead of a name.
 */
export function readVariable(env: Readonly<Record<string, string | undefined>>, name: string, option: string): string {
  const value = env[name];
  if (value !== undefined && value !== '') return value;
  throw new TenonError('cli/usage', `${option}: environment variable not found`, {
    expected: 'the name of a variable that is set',
    received: 'another text, hidden because it may be a secret',
    hint: `set a variable and pass its name: ${option} NAME`,
  });
}
