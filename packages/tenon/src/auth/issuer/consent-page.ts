import type { Client } from './client.js';
import type { Answer } from './exchange.js';
import { html, page } from './page.js';
import { isLoopbackUri, shownHost, sourceOf } from './redirect-uri.js';
import type { Wish } from './request.js';

/** What a consent page shows. */
export interface Consent {
  readonly client: Client;
  readonly wish: Wish;
  /** What is said of each scope. */
  readonly scopes: ReadonlyMap<string, string>;
  /** Where the form goes. */
  readonly action: string;
  readonly request: string;
  readonly token: string;
  /** Whether a name and a password are asked for. */
  readonly password: boolean;
  /** Where the user is sent next to sign in, and what is asked for there. */
  readonly upstream?: { readonly host: string; readonly scopes: readonly string[]; readonly sources: string };
  /** What was wrong with the form before. */
  readonly again?: string;
}

/** Asks the user whether a client may act for them. https://modelcontextprotocol.io/docs/tutorials/security/security_best_practices */
export function consentPage(consent: Consent, cookie: string): Answer {
  const { client, wish, action, request, token, again } = consent;
  const host = shownHost(wish.redirect);
  const body = html`${again === undefined ? html`` : html`<p role="alert"><strong>${again}</strong></p>`}
<p><strong>${client.name}</strong> asks to use <strong>${wish.resource}</strong> in your name.</p>
${whoItIs(client)}
<p>If you allow it, you are sent to <strong>${host}</strong> (<code>${wish.redirect}</code>).</p>
${warning(client)}
${asked(consent)}
<form method="post" action="${action}" autocomplete="off">
<input type="hidden" name="request" value="${request}">
<input type="hidden" name="token" value="${token}">
${consent.password ? fields : html``}
<p><button type="submit" name="answer" value="allow">Allow</button>
<button type="submit" name="answer" value="deny" formnovalidate>Do not allow</button></p>
</form>`;
  const actions = `'self' ${consent.upstream?.sources ?? ''} ${sourceOf(wish.redirect)}`.replace(/ +/g, ' ');
  return page(again === undefined ? 200 : 403, 'Allow access?', body, actions, { 'set-cookie': cookie });
}

const fields = html`<p><label>Name <input type="text" name="name" autocomplete="username" required></label></p>
<p><label>Password <input type="password" name="password" autocomplete="current-password" required></label></p>`;

/** A name is what anybody may choose; the rest is what is known. */
function whoItIs({ id, trusted }: Client) {
  if (trusted) return html``;
  if (id.startsWith('http'))
    return html`<p>Its name is its own word; it is published at <strong>${new URL(id).host}</strong>.</p>`;
  return html`<p>Its name is its own word: nobody here has checked who it is.</p>`;
}

function warning({ redirects, trusted }: Client) {
  if (trusted || !redirects.every(isLoopbackUri)) return html``;
  return html`<p><strong>This is a program on the computer that you are using. Any program there could call itself so. Go on only if you
have just begun to sign in from it.</strong></p>`;
}

function asked({ wish, scopes, upstream }: Consent) {
  const items = wish.scopes.map(scope => {
    const words = scopes.get(scope);
    return html`<li><code>${scope}</code>${words ? `: ${words}` : ''}</li>`;
  });
  const list =
    items.length > 0 ? html`<p>It asks for:</p><ul>${items}</ul>` : html`<p>It asks for no particular rights.</p>`;
  if (upstream === undefined) return list;
  const there = html`<p>You sign in at <strong>${upstream.host}</strong>.</p>`;
  if (upstream.scopes.length === 0) return html`${list}${there}`;
  const rights = upstream.scopes.map(scope => html`<li><code>${scope}</code></li>`);
  return html`${list}${there}<p>There, this server asks for:</p><ul>${rights}</ul>`;
}
