import type { AuthInfo } from '../jsonrpc/channel.js';
import type { ClientCapabilities } from '../model/capabilities.js';
import type { Implementation } from '../model/content.js';

/** Who calls, as far as the server knows. */
export interface Caller {
  /** What the client says of itself. Untrusted. */
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** Whom the transport's authorization found. */
  readonly auth: AuthInfo | undefined;
  /** The address that the request came from, where the transport knows. It is a proxy's where one stands in front: see `clientAddress`. */
  readonly address?: string | undefined;
}

/** Something that callers may or may not see. */
export interface Visible {
  readonly visible?: ((caller: Caller) => boolean) | undefined;
}

export function sees(caller: Caller, item: Visible): boolean {
  return item.visible === undefined || item.visible(caller);
}
