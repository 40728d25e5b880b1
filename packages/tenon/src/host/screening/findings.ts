import { eachAddress } from './addresses.js';
import { eachEncoded } from './encoded.js';
import { type Finding, type FindingKind, findingsPerKind, type Meter, type Sighting } from './finding.js';
import { eachGap } from './gaps.js';
import { eachHidden } from './hidden.js';
import { eachMixedWord, lookalikesSpelled } from './lookalikes.js';
import { eachMarkup } from './markup.js';
import { eachPhrase } from './phrases.js';
import { safeText } from './safe-text.js';

/** Of a longer text (UTF-16 units) only the hidden characters are looked for; that is reported as `unscanned`. */
export const longestScanned = 4_000_000;

const longestExcerpt = 200;
const longestWhere = 300;
const around = 24;
const longestQuoted = 120;

/**
 * What in a text of a server hides, misleads, carries data out or addresses the model. In the order of the text; at
 * most ten of each kind. Takes time linear in the length of the text.
 */
export function findings(text: string, where: string): Finding[] {
  return scan(text, where, { steps: 0 });
}

/** As `findings`, counting its steps. */
export function scan(text: string, where: string, meter: Meter): Finding[] {
  const sightings: Sighting[] = [];
  const counts = new Map<FindingKind, number>();
  const sink = (sighting: Sighting): void => {
    const count = counts.get(sighting.kind) ?? 0;
    counts.set(sighting.kind, count + 1);
    if (count < findingsPerKind.text) sightings.push(sighting);
  };
  eachHidden(
    text,
    ({ kind, severity, at, length, carries }) => sink({ kind, severity, at, length, ...shownAs(carries) }),
    meter,
  );
  if (text.length <= longestScanned) scanMeaning(text, sink, meter);
  else sink({ kind: 'unscanned', severity: 'warn', at: longestScanned, length: text.length - longestScanned });
  return sightings.sort((a, b) => a.at - b.at).map(sighting => toFinding(sighting, text, where));
}

function scanMeaning(text: string, sink: (sighting: Sighting) => void, meter: Meter): void {
  eachMarkup(text, sink, meter);
  eachAddress(text, sink, meter);
  eachGap(text, sink);
  eachEncoded(text, sink, meter);
  eachPhrase(text, sink, meter);
  eachMixedWord(text, (at, length) => {
    const shown = lookalikesSpelled(text.slice(at, at + length));
    sink({ kind: 'lookalike', severity: 'warn', at, length, shown });
  });
}

const shownAs = (carries: string | undefined): { shown?: string } => (carries === undefined ? {} : { shown: carries });

/** A finding of a place. The excerpt is what stands there, with a little of what stands around it. */
export function toFinding({ kind, severity, at, length, shown }: Sighting, text: string, where: string): Finding {
  const end = Math.min(at + length, at + longestQuoted);
  const quoted = shown ?? text.slice(Math.max(0, at - around), end + (length > longestQuoted ? 0 : around));
  return {
    kind,
    severity,
    at,
    length,
    excerpt: safeText(quoted, { max: longestExcerpt }),
    where: safeText(where, { max: longestWhere }),
  };
}

/** The first findings of each kind, so that many of one kind do not crowd out the others. */
export function bounded(all: readonly Finding[], most: number): Finding[] {
  const counts = new Map<FindingKind, number>();
  return all.filter(({ kind }) => {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return counts.get(kind)! <= most;
  });
}
