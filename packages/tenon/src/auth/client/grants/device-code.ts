import { type Clock, checkBrowserUrl, isTemporaryStatus, rejectOnAbort, TenonError } from '@tenon/base';
import {
  getEndpointFailure,
  normalizeDeviceResponse,
  requestEndpoint,
  sanitizeServerText,
  toAuthError,
} from '@tenon/base/oauth';
import * as oauth from 'oauth4webapi';
import {
  type AuthTarget,
  createRequestOptions,
  createTokenRequestOptions,
  fetchTokens,
  getResourceParams,
} from '../auth-target.js';
import type { ClientIdentity } from '../client-identity.js';
import type { Tokens } from '../token-store.js';

/** Code that a user enters on a page of the authorization server, on any device. */
export interface DeviceCode {
  /** Page on which the user enters the code. */
  readonly url: string;
  /** Code for this page. */
  readonly userCode: string;
  /** The same page with the code in it. Absent if the authorization server has none. */
  readonly completeUrl?: string | undefined;
  /** Time until the code expires, in milliseconds. */
  readonly lifetime: number;
}

/** Shows a code to the user. It may return before the user has entered the code. */
export type ShowDeviceCode = (code: DeviceCode, signal: AbortSignal) => void | Promise<void>;

/** Grant type of the device flow, and its mark in a stored registration. */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

const SECOND = 1000;
/** Time between two requests if the authorization server names none, and the time that `slow_down` adds. */
const INTERVAL = 5 * SECOND;
/** Maximum lifetime of a code, in milliseconds. */
const MAX_LIFETIME = 1800 * SECOND;

/**
 * Signs a user in on another device, which needs neither a browser nor a port here. Asks the authorization server until
 * the user has entered the code.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8628
 */
export async function requestTokensWithDeviceCode(
  target: AuthTarget,
  { client, auth }: ClientIdentity,
  show: ShowDeviceCode,
  scopes: readonly string[],
  signal: AbortSignal,
): Promise<Tokens> {
  const { metadata } = target.authorizationServer;
  if (metadata.device_authorization_endpoint === undefined)
    throw new TenonError('auth/no-device-grant', 'the authorization server has no sign-in with a device code', {
      peer: target.issuer.slice(0, 200),
      expected: '`device_authorization_endpoint` in its metadata',
      hint: 'sign in with a browser',
    });
  const params = { ...getResourceParams(target), ...(scopes.length > 0 ? { scope: scopes.join(' ') } : {}) };
  try {
    const issued = await requestEndpoint(
      () => oauth.deviceAuthorizationRequest(metadata, client, auth, params, createRequestOptions(target, signal)),
      {
        statuses: [200],
        normalize: normalizeDeviceResponse,
        validate: response => oauth.processDeviceAuthorizationResponse(metadata, client, response),
      },
    );
    const lifetime = Math.min(issued.expires_in * SECOND, MAX_LIFETIME);
    const deadline = target.clock.elapsed() + lifetime;
    const check = (url: string) => checkBrowserUrl(target.guard.check(url, 'the verification page')).href;
    const { verification_uri_complete: complete } = issued;
    const code: DeviceCode = {
      url: check(issued.verification_uri),
      userCode: sanitizeServerText(issued.user_code),
      ...(complete === undefined ? {} : { completeUrl: check(complete) }),
      lifetime,
    };
    await show(code, signal);
    const options = {
      ...createTokenRequestOptions(target, signal),
      additionalParameters: getResourceParams(target),
    };
    let interval = issued.interval === undefined ? INTERVAL : issued.interval * SECOND;
    for (;;) {
      await wait(target.clock, interval, signal);
      if (target.clock.elapsed() >= deadline) throw createExpiredError(target);
      const tokens = await fetchTokens(
        target,
        scopes,
        () => oauth.deviceCodeGrantRequest(metadata, client, auth, issued.device_code, options),
        response => oauth.processDeviceCodeResponse(metadata, client, response),
      ).catch(error => {
        signal.throwIfAborted();
        const failure = getEndpointFailure(error);
        if (failure?.error === 'expired_token') throw createExpiredError(target);
        // The user has not entered the code yet, or the authorization server could not be reached. The client then asks
        // less often. See section 3.5 of RFC 8628.
        const isPending = failure?.error === 'authorization_pending' || failure?.error === 'slow_down';
        const isUnreachable =
          failure?.verdict === 'temporary' && (failure.status === undefined || isTemporaryStatus(failure.status));
        if (!isPending && !isUnreachable) throw error;
        if (failure?.error !== 'authorization_pending')
          interval = Math.max(interval + INTERVAL, failure?.retryAfter ?? 0);
        return undefined;
      });
      if (tokens !== undefined) return tokens;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw toAuthError(error, target.issuer, 'the sign-in with a device code');
  }
}

function wait(clock: Clock, time: number, signal: AbortSignal): Promise<void> {
  let cancel = () => {};
  const waiting = new Promise<void>(resolve => {
    cancel = clock.after(time, resolve, { hold: true });
  });
  return rejectOnAbort(waiting, signal).finally(cancel);
}

function createExpiredError({ issuer }: AuthTarget): TenonError {
  return new TenonError('auth/device-code-expired', 'the code expired before it was entered', {
    peer: issuer.slice(0, 200),
    hint: 'sign in again, and enter the code in time',
  });
}
