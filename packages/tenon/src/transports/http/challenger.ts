import type { Protection } from '../../auth/resource/protection.js';
import type { ErrorObject } from '../../jsonrpc/message.js';
import { scopesNeeded } from '../../model/scopes.js';
import type { Exchange, HeaderFields } from './exchange.js';

/** Says by which header fields a client learns that its token lacks scopes. Nothing for errors of other kinds. */
export function challenger(auth: Protection | undefined) {
  return (exchange: Exchange, error: ErrorObject): HeaderFields | undefined => {
    const scopes = scopesNeeded(error);
    if (scopes === undefined) return undefined;
    if (auth !== undefined) return auth.challenge(exchange, scopes);
    return { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"` };
  };
}
