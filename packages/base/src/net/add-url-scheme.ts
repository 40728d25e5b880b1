import { isLoopbackHost } from './loopback.js';

/** A host with a dot or a port, or a loopback name, and an optional path: `127.0.0.1:3000/mcp`, `example.com/mcp`. */
const ADDRESS = /^(\[[\da-f:.]+\]|[\w-]+(?:\.[\w-]+)*)(?::\d{1,5})?(?:\/[^\s]*)?$/i;

/**
 * Returns the URL that a user means by an address without `http://`: `http:` on loopback and for IP addresses, else
 * `https:`. Returns `undefined` for other text.
 */
export function addUrlScheme(text: string): string | undefined {
  const [, host = ''] = ADDRESS.exec(text) ?? [];
  const isAddress = host.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(host);
  const hasPort = /^[^/]*[^/:\]]:\d+|^\[[^/]*\]:\d+/.test(text);
  const isName = isLoopbackHost(host.toLowerCase()) || (host.includes('.') && /\.[a-z]{2,}$/i.test(host)) || hasPort;
  if (host === '' || !(isAddress || isName)) return undefined;
  return `${isAddress || isLoopbackHost(host.toLowerCase()) || !host.includes('.') ? 'http' : 'https'}://${text}`;
}
