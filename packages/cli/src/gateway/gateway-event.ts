import type { ServerChanges } from '@tenon/host';
import type { ServedEndpoint } from '../http/listen.js';
import type { LogFields } from '../screen.js';
import type { ErrorEvent } from '../serving/log-error.js';

/** State of a server of a gateway. */
interface ServerEvent {
  readonly event: 'server';
  readonly name: string;
  /**
   * `idle`: no caller has needed the server yet. `connecting`: no response yet, and another line follows. `waiting`:
   * callers must sign in first. `skipped`: the server is not approved.
   */
  readonly state: string;
  readonly reason?: string;
  readonly protocolVersion?: string;
}

/** A changed file that is invalid. The gateway keeps the last valid one. */
interface ReloadError {
  readonly code: string;
  readonly message: string;
}

/** Line of `tenon gateway --json`. */
export type GatewayEvent = LogFields &
  (
    | ({ readonly event: 'listening' } & ServedEndpoint)
    | ServerEvent
    | { readonly event: 'metrics'; readonly url: string }
    /** Addresses of the console, with the token of the operator, and with the one of pages that change nothing. */
    | { readonly event: 'console'; readonly url: string; readonly readOnlyUrl: string }
    | { readonly event: 'policy'; readonly file: string; readonly rules: number; readonly quotas: number }
    | ({ readonly event: 'configuration' } & ServerChanges)
    | { readonly event: 'configuration'; readonly error: ReloadError }
    | { readonly event: 'policy'; readonly file: string; readonly error: ReloadError }
    | ErrorEvent
  );
