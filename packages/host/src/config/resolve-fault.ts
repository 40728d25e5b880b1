/** Reason why the variables of a text cannot be resolved. */
export interface ResolveFault {
  readonly code:
    | 'config/variable'
    | 'config/input'
    | 'config/too-large'
    | 'config/caller-value'
    | 'config/secret-file'
    | 'config/user-only';
  readonly summary: string;
  readonly expected?: string;
  readonly received?: string;
  readonly next?: string;
}
