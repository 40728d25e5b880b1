import { TenonError } from 'tenon';

/** The error of a call that makes no sense: the process ends with 64. */
export function misuse(summary: string, next: string): TenonError {
  return new TenonError('cli/usage', summary, { next });
}

/** The value of a variable that has to be there. Its value is never shown. */
export function variable(env: Readonly<Record<string, string | undefined>>, name: string): string {
  const value = env[name];
  if (value !== undefined && value !== '') return value;
  throw misuse(`the variable ${name} is not set`, `set it: export ${name}=…`);
}
