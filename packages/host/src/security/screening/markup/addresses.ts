import type { OnFindingCandidate } from '../finding.js';
import { ADDRESS_STEPS, countScanSteps, SCAN_STEPS, type StepCounter } from '../scan-steps.js';
import { isLookalikeHost } from '../text/lookalikes.js';
import { type LinkTarget, MAX_URL, parseLinkTarget } from './link-target.js';

/** Detection of suspicious URLs: URLs that carry data, that lead elsewhere than they look, or that run code. */

/** Maximum length of a query. A longer one probably carries data. Signed URLs of object stores are an exception. */
const MAX_QUERY = 1000;
const MAX_LABEL = 40;

const signature = /[?&](?:X-Amz-Signature|X-Goog-Signature|sig)=/i;
/** Beginning of a placeholder: `{x}`, `<x>`, `[x]`, `$X`, `%7Bx`, or a word for the value to insert. */
const PLACEHOLDER_START =
  /^(?:\$?[{<[]|\$[A-Za-z_]|%7b|%5b|%3c|\(?(?:your|insert|the)[-_+ ]|[A-Z0-9_]*(?:SECRET|DATA|PASSWORD|TOKEN|API_?KEY|CONVERSATION|HISTORY|CONTENT|BASE64|PROMPT|SUMMARY)[A-Z0-9_]*$)/;
const placeholder = /[{<]|%7b|\$[A-Z_]{2}/i;

/** Tells if a URL is a template for data, or already contains data. */
export function doesCarryData(url: string, isImage: boolean): boolean {
  const [address, query] = splitQuery(url);
  const host = /^[a-z+.-]{2,20}:\/\/([^/]{0,300})/i.exec(address)?.[1] ?? '';
  if (placeholder.test(host) || host.split('.').some(label => label.length > MAX_LABEL)) return true;
  if (isImage && placeholder.test(address)) return true;
  if (query.length > MAX_QUERY && !signature.test(url)) return true;
  return query.split('&').some(pair => PLACEHOLDER_START.test(pair.slice(pair.indexOf('=') + 1)) && pair.includes('='));
}

function splitQuery(url: string): [string, string] {
  const at = url.search(/[?#]/);
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}

const BARE_ADDRESS =
  /https?:\/\/|\b(?:javascript|vbscript):\S|\bdata:[a-z]+\/[a-z0-9.+-]{1,40}[;,]|\bfile:\/\/[^/\s]/gi;

export function findAddresses(text: string, sink: OnFindingCandidate, meter: StepCounter): void {
  countScanSteps(meter, text.length * SCAN_STEPS);
  const search = new RegExp(BARE_ADDRESS);
  for (let found = search.exec(text); found !== null; found = search.exec(text)) {
    const at = found.index;
    const end = findAddressEnd(text, at + found[0].length);
    countScanSteps(meter, end - at);
    countScanSteps(meter, ADDRESS_STEPS);
    search.lastIndex = end;
    const written = text.slice(at, Math.min(end, at + MAX_URL));
    for (const kind of classifyAddress(written)) sink({ kind, severity: 'warn', at, length: end - at });
  }
}

function classifyAddress(written: string): ('exfiltration' | 'link-mismatch' | 'lookalike' | 'url-scheme')[] {
  const target = parseLinkTarget(written);
  if (target === undefined) return [];
  if (isDangerous(target)) return ['url-scheme'];
  if (target.scheme !== 'http' && target.scheme !== 'https') return [];
  return [
    ...(doesCarryData(written, false) ? (['exfiltration'] as const) : []),
    ...(target.hasUser && hasHostLikeUser(target.url) ? (['link-mismatch'] as const) : []),
    ...(isLookalikeHost(target.writtenHost) ? (['lookalike'] as const) : []),
  ];
}

/** Tells if the user name of a URL looks like a host: `https://bank.example@evil.example/`. */
const hasHostLikeUser = (url: string): boolean => /^[a-z]{2,8}:\/{2}[^/?#@]{1,200}\.[^/?#@]{2,200}@/i.test(url);

/** Tells if a URL has a dangerous scheme: it runs code when opened, or connects to a file share. */
export function isDangerous({ scheme, host, url }: LinkTarget): boolean {
  if (scheme === 'javascript' || scheme === 'vbscript') return true;
  if (scheme === 'file') return host !== '' && host !== 'localhost';
  return scheme === 'data' && !/^data:image\/(?:png|jpe?g|gif|webp|avif|bmp)[;,]/i.test(url);
}

/**
 * Returns the end of a URL: the first whitespace or quote. Angle brackets belong to the URL if a value or segment
 * begins with them.
 */
function findAddressEnd(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at += 1) {
    const character = text[at]!;
    if (character <= ' ' || character === '"' || character === "'" || character === '`' || character === '>') break;
    if (character === '<' && !'=/.'.includes(text[at - 1]!)) break;
  }
  const isFilled = text[at] === '>' && text.slice(start, at).includes('<');
  return isFilled ? at + 1 : at;
}
