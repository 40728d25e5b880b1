import { sha256 } from '../resource/digest.js';
import { readCaller } from './caller.js';
import type { Client } from './client.js';
import type { Clients } from './clients.js';
import { type Answer, type Asked, json, single, UNKEPT } from './exchange.js';
import { beginFamily, findCode, findRefresh, type Grant, revokeRefresh } from './grants.js';
import type { Settings } from './options.js';
import { readProof } from './possession.js';
import { Refusal } from './refusal.js';
import { readResource, readScopes, type Wish } from './request.js';
import type { Road } from './road.js';
import { randomText } from './secrets.js';

/** A request for tokens by a client that has shown who it is. */
interface Request {
  readonly form: URLSearchParams;
  readonly client: Client;
  /** The key that the sender has proved to have. */
  readonly jkt: string | undefined;
  /** Uses up the proofs of the request; called once, before its only effect. Throws a `Refusal` for one that was used. */
  useProofs(): Promise<void>;
  readonly settings: Settings;
  readonly road: Pick<Road, 'standing'>;
}

/** https://www.rfc-editor.org/rfc/rfc6749#section-3.2 */
export async function giveTokens(
  asked: Asked,
  clients: Clients,
  settings: Settings,
  road: Pick<Road, 'standing'>,
): Promise<Answer> {
  const caller = await readCaller(asked, clients, settings);
  const { client } = caller;
  const proven = await readProof(asked, `${settings.origin}${settings.path}/token`, settings);
  const useProofs = async () => {
    await caller.useProof();
    await proven?.useProof();
  };
  const request = { form: asked.form, client, jkt: proven?.jkt, useProofs, settings, road };
  const kind = single(asked.form, 'grant_type');
  const answer = kind === undefined ? undefined : Object.hasOwn(GRANTS, kind) && GRANTS[kind as keyof typeof GRANTS];
  if (!answer) throw new Refusal('unsupported_grant_type', 'There is no such grant here');
  if (!client.grants.includes(kind as string))
    throw new Refusal('unauthorized_client', 'The client may not have this grant');
  return answer(request);
}

const GRANTS = { authorization_code: byCode, refresh_token: byRefresh, client_credentials: bySelf };

async function byCode(request: Request): Promise<Answer> {
  const { form, client, jkt, settings } = request;
  const found = await findCode(single(form, 'code') ?? '', settings);
  if (found === undefined) throw invalidGrant('The code is not good, or not yours');
  const { wish, subject, sid } = found;
  if (!(await isFor(wish, request))) {
    await found.rejectForeign();
    throw invalidGrant('The code is not good, or not yours');
  }
  checkResource(form, wish.resource);
  const grant = {
    ...{ client: client.id, subject, scopes: wish.scopes, resource: wish.resource },
    ...(jkt === undefined ? {} : { jkt }),
    ...(sid === undefined ? {} : { sid }),
  };
  const until = await standsUntil(grant, request);
  await request.useProofs();
  const family = randomText();
  if (!(await found.redeem(family))) throw invalidGrant('The code was used before');
  if (!client.grants.includes('refresh_token')) return tokens(grant, settings, until);
  const refresh = await beginFamily(family, grant, settings);
  if (refresh === undefined) throw invalidGrant('The code was used before');
  return tokens(grant, settings, until, refresh);
}

/** Whether a code was given to this client, at this place, for whoever has this verifier and this key. */
async function isFor(wish: Wish, { form, client, jkt }: Request): Promise<boolean> {
  const verifier = single(form, 'code_verifier') ?? '';
  if (!/^[\w.~-]{43,128}$/.test(verifier) || (await sha256(verifier)) !== wish.challenge) return false;
  const place = form.has('redirect_uri') ? single(form, 'redirect_uri') : wish.redirect;
  return wish.client === client.id && place === wish.redirect && (wish.jkt === undefined || wish.jkt === jkt);
}

async function byRefresh(request: Request): Promise<Answer> {
  const { form, client, jkt, settings } = request;
  const found = await findRefresh(single(form, 'refresh_token') ?? '', settings);
  const { grant } = found ?? {};
  if (!found || !grant || grant.client !== client.id) throw invalidGrant('The refresh token is not good, or not yours');
  if (grant.jkt !== undefined && grant.jkt !== jkt) throw invalidGrant('The refresh token is bound to another key');
  checkResource(form, grant.resource);
  const scopes = form.has('scope') ? readScopes(single(form, 'scope'), settings) : grant.scopes;
  if (!scopes.every(scope => grant.scopes.includes(scope))) throw new Refusal('invalid_scope', 'More than was allowed');
  const until = await standsUntil(grant, request);
  await request.useProofs();
  const refresh = await found.rotate();
  if (refresh === undefined) throw invalidGrant('The refresh token was used before');
  return tokens({ ...grant, scopes, ...(jkt === undefined ? {} : { jkt }) }, settings, until, refresh);
}

/** No user has the name of a client: the two could be taken for each other. */
async function bySelf({ form, client, jkt, settings, useProofs }: Request): Promise<Answer> {
  const resource = readResource(form, settings);
  const scopes = readScopes(single(form, 'scope'), settings);
  await useProofs();
  const subject = `${MACHINE}${client.id}`;
  const grant = { client: client.id, subject, scopes, resource, ...(jkt === undefined ? {} : { jkt }) };
  return tokens(grant, settings, Number.POSITIVE_INFINITY);
}

/** What the subject of a client that calls for itself begins with. */
export const MACHINE = 'client:';

function checkResource(form: URLSearchParams, resource: string): void {
  if (form.has('resource') && single(form, 'resource') !== resource) {
    throw new Refusal('invalid_target', 'The resource is another than the user has allowed');
  }
}

/** When the identity provider's grant ends that stands behind this one. Refuses when it has. */
async function standsUntil({ sid }: Grant, { road }: Request): Promise<number> {
  if (sid === undefined || road.standing === undefined) return Number.POSITIVE_INFINITY;
  const standing = await road.standing(sid);
  if (standing === undefined)
    throw invalidGrant('The identity provider has ended what stands behind it: sign in again');
  return standing.until ?? Number.POSITIVE_INFINITY;
}

function invalidGrant(why: string): Refusal {
  return new Refusal('invalid_grant', why);
}

/** A JWT for one resource. https://www.rfc-editor.org/rfc/rfc9068 */
async function tokens(
  { client, subject, scopes, resource, jkt, sid }: Grant,
  settings: Settings,
  until: number,
  refresh?: string,
): Promise<Answer> {
  const now = Math.floor(settings.clock.now() / 1_000);
  const life = Math.min(Math.floor(settings.tokenLife / 1_000), Math.max(1, Math.floor(until / 1_000) - now));
  const { sign } = await settings.keys();
  const access = await sign({
    ...{ iss: settings.issuer, sub: subject, aud: resource, client_id: client, scope: scopes.join(' ') },
    ...{ iat: now, exp: now + life, jti: crypto.randomUUID() },
    ...(jkt === undefined ? {} : { cnf: { jkt } }),
    ...(sid === undefined ? {} : { sid }),
  });
  const body = {
    access_token: access,
    token_type: jkt === undefined ? 'Bearer' : 'DPoP',
    expires_in: life,
    scope: scopes.join(' '),
    ...(refresh === undefined ? {} : { refresh_token: refresh }),
  };
  return json(200, body, UNKEPT);
}

/** Ends a refresh token and all that come of it. Says nothing of what there is. https://www.rfc-editor.org/rfc/rfc7009 */
export async function revoke(asked: Asked, clients: Clients, settings: Settings): Promise<Answer> {
  // An assertion that is repeated here ends no token but one of its own client, so it is not used up.
  const { client } = await readCaller(asked, clients, settings);
  const token = single(asked.form, 'token');
  if (token === undefined) throw new Refusal('invalid_request', 'One "token" is needed');
  await revokeRefresh(token, client.id, settings.values);
  return { status: 200, headers: UNKEPT };
}
