import { parseUrl, parseWebUrl } from '@tenon/base';
import { writeScriptLiteral } from '@tenon/base/writers';
import { composePolicy, isCspOrigin, readCsp } from '../channel/csp.js';
import { isText, requireArgument, requireKnownOptions } from '../channel/known-options.js';

/** Options of the sandbox page. */
export interface SandboxOptions {
  /** Origins of the hosts that may show apps in this sandbox, such as `https://chat.example.com`. */
  readonly hostOrigins: readonly string[];
}

/** Maximum length of the query of a sandbox page, in characters. */
const MAX_QUERY_LENGTH = 8_192;

/**
 * Answers a request for the sandbox page. Serve it at an origin of its own: no other page there, no cookies, and never the
 * origin of the host. The host adds the declared origins of an app as `?csp=…`, and the response enforces them by its
 * `content-security-policy` header, which the page of the app inherits.
 * @throws TypeError if an entry of `hostOrigins` is not an origin.
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx
 */
export function createSandboxResponse(url: string, options: SandboxOptions): SandboxResponse {
  requireArgument('`url` of createSandboxResponse', url, 'a string', isText);
  requireKnownOptions('createSandboxResponse', options, ['hostOrigins']);
  const { hostOrigins } = options;
  requireArgument('`hostOrigins` of createSandboxResponse', hostOrigins, 'a list of origins', Array.isArray);
  for (const origin of hostOrigins)
    if (!isOrigin(origin))
      throw new TypeError(
        `hostOrigins: expected origins such as "https://chat.example.com", got ${JSON.stringify(origin)}`,
      );
  // The target of a request may be `//`, which is no URL.
  const search = parseUrl(url, 'http://sandbox.invalid')?.search;
  const isRead = search !== undefined && search.length <= MAX_QUERY_LENGTH;
  const csp = isRead ? readDeclaredCsp(new URLSearchParams(search).get('csp')) : undefined;
  if (csp === undefined) return { status: 400, headers: PLAIN_HEADERS, body: 'Bad request' };
  const headers = {
    ...PLAIN_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `${composePolicy(csp)}; frame-ancestors ${hostOrigins.join(' ') || "'none'"}`,
  };
  return { status: 200, headers, body: createSandboxPage(hostOrigins) };
}

/** Status, headers and body of the sandbox page. */
export interface SandboxResponse {
  /** HTTP status. */
  readonly status: number;
  /** Headers, with the policy. */
  readonly headers: Readonly<Record<string, string>>;
  /** The page, or the text of an error. */
  readonly body: string;
}

const PLAIN_HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  // No document of another origin gets a reference to the sandbox, and the sandbox shares its process with none.
  'cross-origin-opener-policy': 'same-origin',
  'origin-agent-cluster': '?1',
};

/** The origin becomes a part of a policy and of a script. */
function isOrigin(value: string): boolean {
  return isCspOrigin(value) && parseWebUrl(value)?.origin === value && !value.includes('*');
}

/** Returns no origins without a query, and `undefined` for a query that is not JSON. */
function readDeclaredCsp(text: string | null): ReturnType<typeof readCsp> | undefined {
  if (text === null) return {};
  try {
    return readCsp(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * Script of the sandbox page. It accepts messages from two windows only: its parent, if that has one of the origins of hosts,
 * and the frame of the app. The frame has an opaque origin, because an app with the origin of the sandbox could change this
 * script. Two frames are necessary so that the app inherits the policy of this response and not that of the host.
 */
const SANDBOX_SCRIPT = `
(hostOrigins => {
  const reserved = 'ui/notifications/sandbox-';
  const features = { camera: 'camera', microphone: 'microphone', geolocation: 'geolocation', clipboardWrite: 'clipboard-write' };
  const tokens = ['allow-scripts', 'allow-forms', 'allow-modals', 'allow-pointer-lock', 'allow-popups'];
  let hostOrigin;
  let frame;
  const sendToHost = message => {
    for (const origin of hostOrigin ? [hostOrigin] : hostOrigins) parent.postMessage(message, origin);
  };
  const load = ({ html, sandbox, permissions }) => {
    if (frame || typeof html !== 'string') return;
    frame = document.createElement('iframe');
    const wanted = typeof sandbox === 'string' ? sandbox.split(/\\s+/).filter(token => tokens.includes(token)) : [];
    frame.setAttribute('sandbox', [...new Set(['allow-scripts', 'allow-forms', ...wanted])].join(' '));
    const granted = Object.keys(permissions || {}).flatMap(name => Object.hasOwn(features, name) ? [features[name] + ' *'] : []);
    frame.setAttribute('allow', granted.join('; '));
    frame.srcdoc = html;
    document.body.append(frame);
  };
  addEventListener('message', ({ source, origin, data }) => {
    if (typeof data !== 'object' || data === null) return;
    const isReserved = typeof data.method === 'string' && data.method.startsWith(reserved);
    if (source === parent && hostOrigins.includes(origin) && (!hostOrigin || hostOrigin === origin)) {
      hostOrigin = origin;
      if (data.method === reserved + 'resource-ready') load(data.params || {});
      else if (!isReserved && frame) frame.contentWindow.postMessage(data, '*');
    } else if (frame && source === frame.contentWindow && !isReserved) sendToHost(data);
  });
  sendToHost({ jsonrpc: '2.0', method: reserved + 'proxy-ready', params: {} });
})`;

function createSandboxPage(hostOrigins: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>App</title>
<style>html, body, iframe { display: block; width: 100%; height: 100%; margin: 0; border: 0; background: transparent }</style>
<body>
<script>${SANDBOX_SCRIPT}(${writeScriptLiteral(hostOrigins)});</script>
`;
}
