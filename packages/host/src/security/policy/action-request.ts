import { type AuthInfo, type CallerIdentity, identifyCaller, type JsonObject } from '@tenon/base';
import type { ToolAnnotations } from 'tenon';

/** Action that a caller requests. `principal`, `issuer` and `clientId` identify the caller. */
export interface ActionRequest extends CallerIdentity {
  /** Kind of action. */
  readonly kind: 'tool' | 'resource' | 'prompt' | 'method';
  /** Name of the server in the host. */
  readonly server: string;
  /** Name of the tool or prompt at the server, URI of the resource, or name of a custom method. */
  readonly name: string;
  /** Arguments. Empty for a resource. */
  readonly arguments: JsonObject;
  /** Annotations from the server. The policy uses them only if `trusted` is true. */
  readonly annotations?: ToolAnnotations | undefined;
  /** True if the policy may trust the server's annotations. */
  readonly trusted: boolean;
  /**
   * Scopes of the caller's access token.
   * @default none
   */
  readonly scopes?: readonly string[] | undefined;
  /**
   * Claims of the caller's access token.
   * @default none
   */
  readonly claims?: JsonObject | undefined;
}

/** Returns the members of an action request that describe its caller. `identity` is that of `auth`, if it is known. */
export function describeUser(
  auth: AuthInfo | undefined,
  identity: CallerIdentity = identifyCaller(auth),
): Pick<ActionRequest, 'principal' | 'issuer' | 'clientId' | 'scopes' | 'claims'> {
  if (auth === undefined) return identity;
  const { scopes, claims } = auth;
  return { ...identity, ...(scopes ? { scopes } : {}), ...(claims ? { claims } : {}) };
}

/** Action of a policy rule. */
export type Action = 'allow' | 'ask' | 'deny';

/** Decision of a policy about one request. */
export interface PolicyVerdict {
  /** Action to take. */
  readonly action: Action;
  /** Reason in plain text. It names the rule by its number and does not contain its patterns. */
  readonly reason: string;
  /** Number of the rule, from 1 as in `reason`. `undefined` for the default. */
  readonly rule: number | undefined;
  /** Identifies the rule independently of its number. An approval applies to this rule only. */
  readonly mark?: string | undefined;
}

/** Describes why a request does not match. It is called for explanations only, because most rules do not match most requests. */
export type Mismatch = () => string;

/** Returns the reason why a request does not match, or `undefined` if it does. */
export type RequestTest = (request: ActionRequest) => Mismatch | undefined;
