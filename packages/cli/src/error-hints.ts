import { TenonError } from 'tenon';

/** Next steps in terms of the command, for errors whose own next step names an option of the library. */
const HINTS: Readonly<Record<string, string>> = {
  'serve/port-taken': 'stop the program that listens there, or choose another port with --port',
  'config/input': 'run this in a terminal to be asked, or give the input a `default` in the configuration',
  'host/too-many-lines': 'try again later; `tenon bridge` takes a higher --max',
  'auth/no-client': 'register a client there by hand, and give its id: tenon bridge URL --client-id ID',
  'auth/foreign-endpoint': 'if you trust it, register a client there and give its id: tenon bridge URL --client-id ID',
  'auth/other-issuer': 'register a client there, and give its id: tenon bridge URL --client-id ID',
  'connect/no-shared-revision': 'update the older end',
  'call/outcome-unknown': 'find out whether the call was carried out before you repeat it',
  'call/too-many-rounds': 'tell the author of the server: it asks too often',
};

/** The message of an error, with a next step that users of the command can take. */
export function describeError(thrown: unknown): string {
  const error = TenonError.from(thrown);
  const hint = HINTS[error.code];
  return hint === undefined ? error.message : new TenonError(error.code, error.summary, { ...error, hint }).message;
}
