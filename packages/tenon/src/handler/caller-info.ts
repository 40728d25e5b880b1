import type { AuthInfo } from '@tenon/base';
import type { ClientCapabilities } from '../protocol/capabilities.js';
import type { Implementation } from '../protocol/content.js';

/** The client, the user and the address that a request comes from. */
export interface CallerInfo {
  /** Name and version that the client sends. Untrusted. */
  readonly client: Implementation | undefined;
  /** Capabilities that the client declared. Untrusted. */
  readonly capabilities: ClientCapabilities;
  /** User and token, verified by the authorization of the transport. */
  readonly auth: AuthInfo | undefined;
  /**
   * Network address of the client. Absent if the transport does not know it. Behind a proxy it is the address of the
   * proxy: see `clientAddress`.
   */
  readonly address?: string | undefined;
}
