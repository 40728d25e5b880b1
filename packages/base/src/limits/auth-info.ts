/**
 * The authorized caller of a request. The authorization of a transport creates it. `principal`, `issuer` and `clientId`
 * together identify the owner of sessions, tasks and other data.
 */
export interface AuthInfo {
  /**
   * Stable identifier of the caller, for example the subject of the token. Data of one principal is never shown to
   * another.
   */
  readonly principal: string;
  /**
   * Issuer of the access token.
   * @default `iss` of `claims`
   */
  readonly issuer?: string | undefined;
  /**
   * OAuth client that acts for the principal. Another client of the same principal cannot access the data of this
   * one.
   * @default `client_id` of `claims`, else `azp`
   */
  readonly clientId?: string | undefined;
  /** Scopes of the access token. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * End of the authorization, in milliseconds since the epoch. Open streams of the client end then.
   *
   * `protect` sets it from the token and adds the clock tolerance. Absent: no end is known.
   */
  readonly expiresAt?: number | undefined;
  /** Claims of the access token. */
  readonly claims?: { readonly [name: string]: unknown } | undefined;
}
