import type { JsonObject } from '../../../jsonrpc/message.js';
import type { CallerIdentity } from '../../../protocol/caller-identity.js';
import type { ToolAnnotations } from '../../../protocol/content.js';

/** An action that a caller requests. `principal`, `issuer` and `clientId` identify the caller. */
export interface ActionRequest extends CallerIdentity {
  /** Kind of action. */
  readonly kind: 'tool' | 'resource' | 'prompt' | 'method';
  /** Its name in the host. */
  readonly server: string;
  /** Inner name of the tool or prompt; URI of the resource; name of a method that the server adds to the protocol's. */
  readonly name: string;
  /** Arguments; none for a resource. */
  readonly arguments: JsonObject;
  /** Annotations as declared by the server. The policy uses them only when `trusted`. */
  readonly annotations?: ToolAnnotations | undefined;
  /** True if the server's annotations may be trusted. */
  readonly trusted: boolean;
}

/** Decision of a policy rule. */
export type Action = 'allow' | 'ask' | 'deny';

/** Decision of a policy about one request. */
export interface PolicyVerdict {
  /** Decision. */
  readonly action: Action;
  /** For people. It names the rule by its position from 1 and does not contain its patterns. */
  readonly reason: string;
  /** Number of the rule, from 1 as in `reason`; undefined: the default. */
  readonly rule: number | undefined;
  /** Identifies the rule independently of its position. An approval applies to this rule only. */
  readonly mark?: string | undefined;
}
