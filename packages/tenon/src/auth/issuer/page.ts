import type { Answer, Fields } from './exchange.js';
import { UNKEPT } from './exchange.js';

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

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, sign => ENTITIES[sign] as string);
}

/** HTML whose parts are escaped, unless they are HTML themselves. */
export function html(texts: TemplateStringsArray, ...parts: readonly (string | Html | readonly Html[])[]): Html {
  const shown = parts.map(part => {
    if (typeof part === 'string') return escaped(part);
    return 'html' in part ? part.html : part.map(each => each.html).join('');
  });
  return { html: texts.map((text, at) => text + (shown[at] ?? '')).join('') };
}

/**
 * A page without scripts, styles and pictures, which nobody may put into a frame. `actions` are what its forms may lead to,
 * redirects included.
 */
export function page(status: number, title: string, body: Html, actions = "'none'", headers: Fields = {}): Answer {
  const whole = html`<!doctype html>
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
      ...UNKEPT,
      ...headers,
    },
    body: whole.html,
  };
}

export function refusalPage(title: string, why: string, more: Html = html``): Answer {
  return page(400, title, html`<p>${why}.</p>${more}`);
}
