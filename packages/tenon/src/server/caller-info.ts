import type { AuthInfo } from '../jsonrpc/transport.js';
import type { ClientCapabilities } from '../protocol/capabilities.js';
import type { Implementation } from '../protocol/content.js';

/** Who calls, as far as the server knows. */
export interface CallerInfo {
  /** What the client says of itself. Untrusted. */
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** Whom the transport's authorization found. */
  readonly auth: AuthInfo | undefined;
  /** The address that the request came from, where the transport knows. It is a proxy's where one stands in front: see `clientAddress`. */
  readonly address?: string | undefined;
}
