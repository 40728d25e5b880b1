/** Findings of screening in text of a server. */

/** Characters that no reader sees and a model or a terminal obeys. These can be taken out of a text. */
export const HIDDEN_KINDS = ['ansi', 'bidi', 'control', 'invisible', 'private-use', 'tag', 'variation'] as const;

export type HiddenKind = (typeof HIDDEN_KINDS)[number];

/** The kinds that speak to a model in the place of its user, carry data out, or were not looked at. */
const THREAT_KINDS: ReadonlySet<FindingKind> = new Set<FindingKind>([
  'instruction',
  'cross-tool',
  'chat-markup',
  'encoded-text',
  'exfiltration',
  'hidden-html',
  'tag',
  'unscanned',
]);

/** Tests whether a finding is a reason to withhold a text. */
export function isThreat({ kind }: Pick<Finding, 'kind'>): boolean {
  return THREAT_KINDS.has(kind);
}

/** Findings that are visible, or part of the meaning: reported and passed on. */
export type WarningKind =
  | 'chat-markup'
  | 'cross-tool'
  | 'encoded-text'
  | 'exfiltration'
  | 'hidden-html'
  | 'html'
  | 'instruction'
  | 'link-mismatch'
  | 'lookalike'
  | 'remote-image'
  | 'shadowed-name'
  | 'stacked-marks'
  | 'unscanned'
  | 'url-scheme'
  | 'whitespace';

/** Kind of a screening finding. */
export type FindingKind = HiddenKind | WarningKind;

/**
 * - `strip`: has no purpose in a text for people and is removed if the policy says so.
 * - `warn`: a person or a policy should know. The kinds `instruction`, `cross-tool`, `chat-markup` and `encoded-text`
 * depend on language and are best effort: no finding does not mean that a text is safe.
 */
export type FindingSeverity = 'strip' | 'warn';

/** One suspicious place in a text of a server. */
export interface Finding {
  /** Kind of the finding. */
  readonly kind: FindingKind;
  /** States whether the text can be removed. */
  readonly severity: FindingSeverity;
  /** In UTF-16 units from the start of the text. */
  readonly at: number;
  /** Length in UTF-16 units. */
  readonly length: number;
  /** The text at the place, safe to show: hidden text decoded where that is possible. At most 200 characters. */
  readonly excerpt: string;
  /** Path of the text: `description`, `inputSchema/properties/city/description`. At most 300 characters. */
  readonly where: string;
}

/** A finding before it has its excerpt. */
export interface FindingCandidate {
  readonly kind: FindingKind;
  readonly severity: FindingSeverity;
  readonly at: number;
  readonly length: number;
  /** Text to show instead of the place itself. Absent: the place itself. */
  readonly shown?: string;
}

/** Takes sightings, so that no list of them has to be held. */
export type OnFindingCandidate = (sighting: FindingCandidate) => void;

/** Counts the steps of a scan, which a test holds against the length of the text. */
export interface StepCounter {
  steps: number;
}

/** Maximum number of findings of one kind, of one text and of one value (a tool, a result). */
export const MAX_FINDINGS_PER_KIND = { text: 10, value: 20 } as const;
