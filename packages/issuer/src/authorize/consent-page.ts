import type { AuthHttpResponse } from '@tenon/base/oauth';
import { createPage, renderHtml } from '@tenon/base/writers';
import type { OauthClient } from '../clients/client.js';
import { getCspSource, getDisplayHost, isLoopbackUri } from '../clients/redirect-uri.js';
import type { AuthorizationRequest } from './authorization-request.js';

/** Content of a consent page. */
export interface ConsentPageOptions {
  readonly client: OauthClient;
  readonly authRequest: AuthorizationRequest;
  /** Description of each scope. */
  readonly scopes: ReadonlyMap<string, string>;
  /** URL that the form is sent to. */
  readonly action: string;
  readonly request: string;
  readonly token: string;
  /** True if the page has fields for a name and a password. */
  readonly password: boolean;
  /**
   * Identity provider at which the user signs in next, and the scopes that are requested there. Absent if the issuer
   * signs users in itself.
   */
  readonly upstream?:
    | { readonly host: string; readonly scopes: readonly string[]; readonly sources: string }
    | undefined;
  /** Reason why the previous form was rejected. Absent for the first form. */
  readonly retryMessage?: string | undefined;
}

/**
 * Creates the page that asks the user for consent to a client.
 *
 * @see https://modelcontextprotocol.io/docs/tutorials/security/security_best_practices
 */
export function createConsentPage(options: ConsentPageOptions, cookie: string): AuthHttpResponse {
  const { client, authRequest, action, request, token, retryMessage } = options;
  const host = getDisplayHost(authRequest.redirect);
  const body = renderHtml`${retryMessage === undefined ? renderHtml`` : renderHtml`<p role="alert"><strong>${retryMessage}</strong></p>`}
<p><strong>${client.name}</strong> asks to use <strong>${authRequest.resource}</strong> in your name.</p>
${describeClient(client)}
<p>If you allow it, you are sent to <strong>${host}</strong> (<code>${authRequest.redirect}</code>).</p>
${createLoopbackWarning(client)}
${listRequestedScopes(options)}
<form method="post" action="${action}" autocomplete="off">
<input type="hidden" name="request" value="${request}">
<input type="hidden" name="token" value="${token}">
${options.password ? PASSWORD_FIELDS : renderHtml``}
<p><button type="submit" name="answer" value="allow">Allow</button>
<button type="submit" name="answer" value="deny" formnovalidate>Do not allow</button></p>
</form>`;
  const actions = `'self' ${options.upstream?.sources ?? ''} ${getCspSource(authRequest.redirect)}`.replace(/ +/g, ' ');
  return createPage(retryMessage === undefined ? 200 : 403, 'Allow access?', body, actions, { 'set-cookie': cookie });
}

const PASSWORD_FIELDS = renderHtml`<p><label>Name <input type="text" name="name" autocomplete="username" required></label></p>
<p><label>Password <input type="password" name="password" autocomplete="current-password" required></label></p>`;

/** Describes a client by properties other than its name, because anyone can choose a name. */
function describeClient({ id, trusted }: OauthClient) {
  if (trusted) return renderHtml``;
  if (id.startsWith('http'))
    return renderHtml`<p>Its name is its own word; it is published at <strong>${new URL(id).host}</strong>.</p>`;
  return renderHtml`<p>The client chose this name itself. It has not been verified.</p>`;
}

function createLoopbackWarning({ redirects, trusted }: OauthClient) {
  if (trusted || !redirects.every(isLoopbackUri)) return renderHtml``;
  return renderHtml`<p><strong>This is a program on the computer that you are using. Any program there could call itself so. Go on only if you
have just begun to sign in from it.</strong></p>`;
}

function listRequestedScopes({ authRequest, scopes, upstream }: ConsentPageOptions) {
  const items = authRequest.scopes.map(scope => {
    const description = scopes.get(scope);
    return renderHtml`<li><code>${scope}</code>${description ? `: ${description}` : ''}</li>`;
  });
  const list =
    items.length > 0
      ? renderHtml`<p>It asks for:</p><ul>${items}</ul>`
      : renderHtml`<p>It asks for no particular rights.</p>`;
  if (upstream === undefined) return list;
  const providerText = renderHtml`<p>You sign in at <strong>${upstream.host}</strong>.</p>`;
  if (upstream.scopes.length === 0) return renderHtml`${list}${providerText}`;
  const rights = upstream.scopes.map(scope => renderHtml`<li><code>${scope}</code></li>`);
  return renderHtml`${list}${providerText}<p>There, this server asks for:</p><ul>${rights}</ul>`;
}
