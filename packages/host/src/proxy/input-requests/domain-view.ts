import { classifyHost, hasInvisible } from '@tenon/base';
import { decodePunycode } from './punycode.js';
import { hasMixedScripts, looksLatin } from './unicode-scripts.js';
import type { ViewWarning } from './view-warning.js';

/** Host name in ASCII and in Unicode. */
export interface DomainView {
  /** ASCII form with Punycode, which the URL uses. */
  readonly ascii: string;
  /** Unicode form. Equal to `ascii` when the Punycode is invalid or unsafe to display. */
  readonly unicode: string;
  /**
   * Registrable part of the domain, determined without a list of all registries. Emphasize it when you show the URL.
   */
  readonly site: string;
  readonly warnings: readonly ViewWarning[];
}

const IPV4 = /^\d{1,3}(\.\d{1,3}){3}$/;
/** Second-level labels under which country registries register names. */
const SECOND = new Set(['co', 'com', 'net', 'org', 'ac', 'gov', 'edu', 'or', 'ne', 'go', 'gob', 'nom', 'mil']);
/** Top-level labels that a misleading subdomain may imitate: `accounts.example.com.evil.test`. */
const WELL_KNOWN = new Set(['com', 'net', 'org', 'gov', 'edu', 'io', 'dev', 'app', 'de', 'uk', 'fr', 'cn', 'jp']);

/** Tells if a host is this computer, in its own network, or reserved. The name `.test` of examples is none of them. */
function isLocalHost(host: string): boolean {
  return classifyHost(host) !== 'public' && !host.endsWith('.test');
}

/** Describes the host name of a parsed URL for display. */
export function describeDomain(hostname: string): DomainView {
  const ascii = hostname.replace(/\.$/, '');
  if (IPV4.test(ascii) || ascii.startsWith('[')) return describeAddress(ascii);
  const labels = ascii.split('.');
  const read = labels.map(label => (label.startsWith('xn--') ? (decodeLabel(label) ?? label) : label));
  const site = getSite(labels);
  return {
    ascii,
    unicode: read.join('.'),
    site,
    warnings: [...findLabelWarnings(labels, read), ...findSiteWarnings(ascii, site)],
  };
}

function describeAddress(ascii: string): DomainView {
  const warning: ViewWarning = {
    code: 'ip-address',
    text: `The link leads to the bare address ${ascii}, not to a named site.`,
  };
  return {
    ascii,
    unicode: ascii,
    site: ascii,
    warnings: [warning, ...(isLocalHost(ascii) ? [createLocalWarning(ascii)] : [])],
  };
}

function decodeLabel(label: string): string | undefined {
  const text = decodePunycode(label.slice(4));
  return text === undefined || text.includes(' ') || hasInvisible(text) ? undefined : text;
}

function getSite(labels: readonly string[]): string {
  const [last = '', second = ''] = labels.toReversed();
  const count = last.length === 2 && SECOND.has(second) ? 3 : 2;
  return labels.slice(-count).join('.');
}

function findLabelWarnings(labels: readonly string[], read: readonly string[]): ViewWarning[] {
  return labels.flatMap((label, index) => {
    if (!label.startsWith('xn--')) return [];
    const text = read[index] ?? label;
    const shown = text === label ? 'letters that cannot be shown' : `“${text}”`;
    const warnings: ViewWarning[] = [
      { code: 'punycode', text: `The domain has special letters: ${label} stands for ${shown}.` },
    ];
    if (hasMixedScripts(text))
      warnings.push({ code: 'mixed-scripts', text: `“${text}” mixes letters of several alphabets.` });
    if (looksLatin(text))
      warnings.push({ code: 'lookalike', text: `“${text}” may be made to look like another name.` });
    return warnings;
  });
}

function findSiteWarnings(ascii: string, site: string): ViewWarning[] {
  if (isLocalHost(ascii)) return [createLocalWarning(ascii)];
  const before = ascii.slice(0, -site.length).split('.').slice(0, -1);
  if (!before.slice(1).some(label => WELL_KNOWN.has(label))) return [];
  return [{ code: 'nested-domain', text: `The link leads to ${site}, though its beginning looks like another site.` }];
}

function createLocalWarning(ascii: string): ViewWarning {
  return { code: 'local', text: `The link leads to ${ascii}, which is this computer or one in its own network.` };
}
