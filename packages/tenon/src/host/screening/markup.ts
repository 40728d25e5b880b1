import { carriesOut, isDangerous } from './addresses.js';
import { isActive, loading } from './elements.js';
import type { Meter, Sighting, Sink } from './finding.js';
import { isLookalikeHost } from './lookalikes.js';
import { eachPart, type Lead, referenceOf, type Tag, type Use } from './markdown.js';
import { readTarget } from './target.js';

/** Images, links and markup of a text: what loads by being shown, what shows less than it holds, what misleads. */

const hiding =
  /display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}(?:hidden|collapse)|opacity\s{0,9}:\s{0,9}0(?![.\d]*[1-9])|font-size\s{0,9}:\s{0,9}0(?![.\d]*[1-9])|color\s{0,9}:\s{0,9}(?:transparent|white\b|#fff)|text-indent\s{0,9}:\s{0,9}-\d{3}|[\s"']hidden(?=[\s>=/]|$)/i;
const address =
  /\b(?:src|href|srcset|poster|data|action|xlink:href|background)\s{0,9}=\s{0,9}["']?([^"'\s>]{1,2048})/gi;

const mostReferences = 1000;
const longestLabel = 300;

export function eachMarkup(text: string, sink: Sink, meter: Meter): void {
  const leads = new Map<string, Lead>();
  const uses: Use[] = [];
  const commentEnd = commentEnds(text);
  eachPart(
    text,
    part => {
      if (part.form === 'tag') tagSightings(text, part, commentEnd).forEach(sink);
      else if (part.form === 'use') {
        if (part.isImage && uses.length < mostReferences) uses.push(part);
      } else {
        leadSightings(text, part).forEach(sink);
        if (part.form === 'definition' && leads.size < mostReferences) leads.set(labelOf(text, part), part);
      }
    },
    meter,
  );
  for (const use of uses) {
    const lead = leads.get(use.reference);
    if (lead) sink(warn('remote-image', { at: use.at, end: use.end }, lead.url));
  }
}

const labelOf = (text: string, lead: Lead): string =>
  referenceOf(text.slice(lead.labelAt, Math.min(lead.labelEnd, lead.labelAt + longestLabel)));

function warn(kind: Sighting['kind'], { at, end }: { at: number; end: number }, shown?: string): Sighting {
  return { kind, severity: 'warn', at, length: end - at, ...(shown !== undefined && { shown }) };
}

function leadSightings(text: string, lead: Lead): Sighting[] {
  const place = { at: lead.at, end: lead.end };
  const target = readTarget(lead.url);
  if (target === undefined) return [];
  if (isDangerous(target)) return [warn('url-scheme', place)];
  const isWeb = target.host !== '';
  const label = text.slice(lead.labelAt, Math.min(lead.labelEnd, lead.labelAt + longestLabel));
  return [
    ...(lead.form === 'image' && isWeb ? [warn('remote-image', place)] : []),
    ...(isWeb && carriesOut(target.url, lead.form === 'image') ? [warn('exfiltration', place)] : []),
    ...(lead.form === 'link' && isWeb && misleads(label, target.host) ? [warn('link-mismatch', place)] : []),
    ...(isLookalikeHost(target.writtenHost) ? [warn('lookalike', place)] : []),
  ];
}

/** What people take for the end of a domain, rather than of a file's name. */
const ends =
  'com org net io dev ai app edu gov mil info biz cloud de uk fr eu nl ch it es pl se jp cn in br ca au us ru'.split(
    ' ',
  );
const domain = new RegExp(`^(?:[a-z0-9-]{1,63}\\.){1,8}(?:${ends.join('|')})$`, 'i');

/** Whether the text of a link names another domain than the one it leads to. A part of the same domain is no other. */
function misleads(label: string, host: string): boolean {
  const words = label.split(/[^a-z0-9.-]+/i).map(each => each.replace(/^[.-]+|[.-]+$/g, ''));
  const written = words.find(each => domain.test(each))?.toLowerCase();
  if (written === undefined) return false;
  const [shown, real] = [written.replace(/^www\./, ''), host.replace(/^www\./, '')];
  return shown !== real && !real.endsWith(`.${shown}`) && !shown.endsWith(`.${real}`);
}

function tagSightings(text: string, tag: Tag, commentEnd: (from: number) => number): Sighting[] {
  const markup = text.slice(tag.at, tag.end);
  // A comment without an end hides all that follows.
  if (markup.startsWith('<!--')) return [warn('hidden-html', { at: tag.at, end: commentEnd(tag.at + 4) })];
  const name = /^<([a-z][a-z0-9:-]{0,40})(?=[\s/>]|$)/i.exec(markup)?.[1]?.toLowerCase();
  if (name === undefined) return [];
  const targets = [...markup.matchAll(address)].flatMap(match => readTarget(match[1]!) ?? []);
  const carries = targets.some(target => target.host !== '' && carriesOut(target.url, loading.has(name)));
  const label = name === 'a' ? text.slice(tag.end, tag.end + longestLabel).split('<', 1)[0]! : '';
  return [
    ...(isActive(name, markup) ? [warn('html', tag)] : []),
    ...(hiding.test(markup) ? [warn('hidden-html', tag)] : []),
    ...(targets.some(isDangerous) ? [warn('url-scheme', tag)] : []),
    ...(carries ? [warn('exfiltration', tag)] : []),
    ...(targets.some(target => target.host !== '' && misleads(label, target.host)) ? [warn('link-mismatch', tag)] : []),
  ];
}

/** The next end of a comment, looked for once: most comments of a hostile text have none. */
function commentEnds(text: string): (from: number) => number {
  let next = 0;
  return from => {
    if (next < from) next = text.indexOf('-->', from);
    if (next < 0) next = Number.MAX_SAFE_INTEGER;
    return Math.min(text.length, next + 3);
  };
}
