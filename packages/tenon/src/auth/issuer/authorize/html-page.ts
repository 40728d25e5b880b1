import type { IssuerHttpResponse, ResponseHeaders } from '../http-exchange.js';
import { NO_STORE_HEADERS } from '../http-exchange.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text that is of nothing but text in HTML, in an attribute as well. */
export interface Html {
  readonly html: string;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, sign => ENTITIES[sign] as string);
}

/** HTML whose parts are escaped, unless they are HTML themselves. */
export function renderHtml(texts: TemplateStringsArray, ...parts: readonly (string | Html | readonly Html[])[]): Html {
  const rendered = parts.map(part => {
    if (typeof part === 'string') return escapeHtml(part);
    return 'html' in part ? part.html : part.map(each => each.html).join('');
  });
  return { html: texts.map((text, index) => text + (rendered[index] ?? '')).join('') };
}

/**
 * A page without scripts, styles and pictures, which nobody may put into a frame. `actions` are what its forms may lead to,
 * redirects included.
 */
export function createPage(
  status: number,
  title: string,
  body: Html,
  actions = "'none'",
  headers: ResponseHeaders = {},
): IssuerHttpResponse {
  const document = renderHtml`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body><main><h1>${title}</h1>
${body}
</main></body></html>
`;
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; form-action ${actions}; frame-ancestors 'none'; base-uri 'none'`,
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      ...NO_STORE_HEADERS,
      ...headers,
    },
    body: document.html,
  };
}

export function createRefusalPage(title: string, reason: string, more: Html = renderHtml``): IssuerHttpResponse {
  return createPage(400, title, renderHtml`<p>${reason}.</p>${more}`);
}
