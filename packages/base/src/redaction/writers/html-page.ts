import { escapeHtml } from './markup.js';

/** HTML from `renderHtml`. */
export interface Html {
  /** HTML source text. */
  readonly html: string;
}

/** Renders a template. Escapes strings for text and for quoted attributes. Inserts parts of type `Html` unchanged. */
export function renderHtml(texts: TemplateStringsArray, ...parts: readonly (string | Html | readonly Html[])[]): Html {
  const rendered = parts.map(part => {
    if (typeof part === 'string') return escapeHtml(part);
    return 'html' in part ? part.html : part.map(each => each.html).join('');
  });
  return { html: texts.map((text, index) => text + (rendered[index] ?? '')).join('') };
}

/** A response with an HTML page. */
export interface HtmlPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Creates an HTML page that allows no scripts, styles, images or framing.
 *
 * @param actions CSP sources that its forms may lead to, including redirects. Default: none.
 */
export function createPage(
  status: number,
  title: string,
  body: Html,
  actions = "'none'",
  headers: HtmlPage['headers'] = {},
): HtmlPage {
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
      'cache-control': 'no-store',
      pragma: 'no-cache',
      ...headers,
    },
    body: document.html,
  };
}

/**
 * Creates a page with status 400.
 *
 * @param reason A sentence without its full stop.
 */
export function createRefusalPage(title: string, reason: string, more: Html = renderHtml``): HtmlPage {
  return createPage(400, title, renderHtml`<p>${reason}.</p>${more}`);
}
