import { TenonError } from 'tenon';

/** Next steps that name options of the command, for errors whose own hint names an option of the library. */
const HINTS: Readonly<Record<string, string>> = {
  'serve/port-taken': 'stop the other program, or choose another port with --port',
  'config/input': 'run this in a terminal, or set a `default` for the input in the configuration',
  'host/too-many-connections': 'try again later, or raise --max of `tenon bridge`',
  'auth/no-client': 'register a client there manually, and pass its id: tenon bridge URL --client-id ID',
  'auth/foreign-endpoint': 'register a client there if you trust it, and pass its id: tenon bridge URL --client-id ID',
  'auth/other-issuer': 'register a client there, and pass its id: tenon bridge URL --client-id ID',
  'connect/no-shared-version': 'update the older side',
  'call/outcome-unknown': 'check the effect before you repeat the call',
  'call/too-many-rounds': 'report to the author of the server that it requests input too often',
};

/** Returns the message of an error, with a next step for users of the command. */
export function describeError(thrown: unknown): string {
  const error = TenonError.from(thrown);
  const hint = HINTS[error.code];
  return hint === undefined ? error.message : new TenonError(error.code, error.summary, { ...error, hint }).message;
}
