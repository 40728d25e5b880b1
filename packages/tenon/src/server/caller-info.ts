import type { AuthInfo } from '../jsonrpc/transport.js';
import type { ClientCapabilities } from '../protocol/capabilities.js';
import type { Implementation } from '../protocol/content.js';

/** The caller of a request. */
export interface CallerInfo {
  /** Name and version that the client gives. Untrusted. */
  readonly client: Implementation | undefined;
  /** Capabilities of the client. */
  readonly capabilities: ClientCapabilities;
  /** User and token that the transport authorized. */
  readonly auth: AuthInfo | undefined;
  /** The address that the request came from, where the transport knows. It is a proxy's where one stands in front: see `clientAddress`. */
  readonly address?: string | undefined;
}
