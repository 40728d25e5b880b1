import type { FindingCandidate, OnFindingCandidate } from '../finding.js';
import { ADDRESS_STEPS, countScanSteps, type StepCounter, TAG_STEPS } from '../scan-steps.js';
import { isLookalikeHost } from '../text/lookalikes.js';
import { doesCarryData, isDangerous } from './addresses.js';
import { isActive, LOADING_ELEMENTS } from './html-elements.js';
import { parseLinkTarget } from './link-target.js';
import { type HtmlTag, type MarkdownLink, normalizeReference, parseMarkdown, type ReferenceUse } from './markdown.js';

/**
 * Detection of suspicious images, links and markup: content that loads when displayed, hidden content, misleading
 * links.
 */

const hiding =
  /display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}(?:hidden|collapse)|opacity\s{0,9}:\s{0,9}0(?![.\d]*[1-9])|font-size\s{0,9}:\s{0,9}0(?![.\d]*[1-9])|color\s{0,9}:\s{0,9}(?:transparent|white\b|#fff)|text-indent\s{0,9}:\s{0,9}-\d{3}|[\s"']hidden(?=[\s>=/]|$)/i;
const address =
  /\b(?:src|href|srcset|poster|data|action|xlink:href|background)\s{0,9}=\s{0,9}["']?([^"'\s>]{1,2048})/gi;

const MAX_REFERENCES = 1000;
const MAX_LABEL = 300;

export function findMarkup(text: string, sink: OnFindingCandidate, meter: StepCounter): void {
  const leads = new Map<string, MarkdownLink>();
  const uses: ReferenceUse[] = [];
  const commentEnd = createCommentEndFinder(text);
  parseMarkdown(
    text,
    part => {
      if (part.form === 'tag') checkTag(text, part, commentEnd, meter).forEach(sink);
      else if (part.form === 'use') {
        if (part.isImage && uses.length < MAX_REFERENCES) uses.push(part);
      } else {
        countScanSteps(meter, ADDRESS_STEPS);
        checkLink(text, part).forEach(sink);
        if (part.form === 'definition' && leads.size < MAX_REFERENCES) leads.set(getLabel(text, part), part);
      }
    },
    meter,
  );
  for (const use of uses) {
    const lead = leads.get(use.reference);
    if (lead) sink(createWarning('remote-image', { at: use.at, end: use.end }, lead.url));
  }
}

const getLabel = (text: string, lead: MarkdownLink): string =>
  normalizeReference(text.slice(lead.labelAt, Math.min(lead.labelEnd, lead.labelAt + MAX_LABEL)));

function createWarning(
  kind: FindingCandidate['kind'],
  { at, end }: { at: number; end: number },
  shown?: string,
): FindingCandidate {
  return { kind, severity: 'warn', at, length: end - at, ...(shown !== undefined && { shown }) };
}

function checkLink(text: string, lead: MarkdownLink): FindingCandidate[] {
  const place = { at: lead.at, end: lead.end };
  const target = parseLinkTarget(lead.url);
  if (target === undefined) return [];
  if (isDangerous(target)) return [createWarning('url-scheme', place)];
  const isWeb = target.host !== '';
  const label = text.slice(lead.labelAt, Math.min(lead.labelEnd, lead.labelAt + MAX_LABEL));
  return [
    ...(lead.form === 'image' && isWeb ? [createWarning('remote-image', place)] : []),
    ...(isWeb && doesCarryData(target.url, lead.form === 'image') ? [createWarning('exfiltration', place)] : []),
    ...(lead.form === 'link' && isWeb && isMisleading(label, target.host)
      ? [createWarning('link-mismatch', place)]
      : []),
    ...(isLookalikeHost(target.writtenHost) ? [createWarning('lookalike', place)] : []),
  ];
}

/** Endings that people read as a domain rather than as a file name. */
const DOMAIN_ENDINGS =
  'com org net io dev ai app edu gov mil info biz cloud de uk fr eu nl ch it es pl se jp cn in br ca au us ru'.split(
    ' ',
  );
const domain = new RegExp(`^(?:[a-z0-9-]{1,63}\\.){1,8}(?:${DOMAIN_ENDINGS.join('|')})$`, 'i');

/** Tells if the text of a link names another domain than its target. A subdomain counts as the same domain. */
function isMisleading(label: string, host: string): boolean {
  const words = label.split(/[^a-z0-9.-]+/i).map(each => each.replace(/^[.-]+|[.-]+$/g, ''));
  const written = words.find(each => domain.test(each))?.toLowerCase();
  if (written === undefined) return false;
  const [shown, real] = [written.replace(/^www\./, ''), host.replace(/^www\./, '')];
  return shown !== real && !real.endsWith(`.${shown}`) && !shown.endsWith(`.${real}`);
}

function checkTag(
  text: string,
  tag: HtmlTag,
  commentEnd: (from: number) => number,
  meter: StepCounter,
): FindingCandidate[] {
  countScanSteps(meter, TAG_STEPS);
  const markup = text.slice(tag.at, tag.end);
  // An unclosed comment hides all text after it.
  if (markup.startsWith('<!--')) {
    if (/^<!-- ?-->/.test(text.slice(tag.at, tag.at + 8))) return [];
    return [createWarning('hidden-html', { at: tag.at, end: commentEnd(tag.at + 4) })];
  }
  const name = /^<([a-z][a-z0-9:-]{0,40})(?=[\s/>]|$)/i.exec(markup)?.[1]?.toLowerCase();
  if (name === undefined) return [];
  const addresses = [...markup.matchAll(address)];
  countScanSteps(meter, ADDRESS_STEPS * addresses.length);
  const targets = addresses.flatMap(match => parseLinkTarget(match[1]!) ?? []);
  const carries = targets.some(target => target.host !== '' && doesCarryData(target.url, LOADING_ELEMENTS.has(name)));
  const label = name === 'a' ? text.slice(tag.end, tag.end + MAX_LABEL).split('<', 1)[0]! : '';
  return [
    ...(isActive(name, markup) ? [createWarning('html', tag)] : []),
    ...(hiding.test(markup) ? [createWarning('hidden-html', tag)] : []),
    ...(targets.some(isDangerous) ? [createWarning('url-scheme', tag)] : []),
    ...(carries ? [createWarning('exfiltration', tag)] : []),
    ...(targets.some(target => target.host !== '' && isMisleading(label, target.host))
      ? [createWarning('link-mismatch', tag)]
      : []),
  ];
}

/**
 * Creates a function that finds the next end of a comment. It searches only once, because most comments of a hostile
 * text are unclosed.
 */
function createCommentEndFinder(text: string): (from: number) => number {
  let next = 0;
  return from => {
    if (next < from) next = text.indexOf('-->', from);
    if (next < 0) next = Number.MAX_SAFE_INTEGER;
    return Math.min(text.length, next + 3);
  };
}
