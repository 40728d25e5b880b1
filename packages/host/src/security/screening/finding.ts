/** Types of the findings in texts of servers. */
import { checkObject, requireArgument } from '@tenon/base';

/**
 * Kinds of characters that a reader does not see, but a model or terminal interprets. They can be removed from a text.
 */
export const HIDDEN_KINDS = ['ansi', 'bidi', 'control', 'invisible', 'private-use', 'tag', 'variation'] as const;

export type HiddenKind = (typeof HIDDEN_KINDS)[number];

/**
 * Kinds of invisible characters that are removed from data, such as results. Data may be source code, so only characters
 * without any legitimate use are removed: tag characters, bidirectional controls, terminal sequences.
 */
export const STRIPPED_FROM_DATA: readonly HiddenKind[] = ['ansi', 'bidi', 'tag'];

/**
 * Kinds of findings that count as a threat: instructions to a model, data exfiltration, and text that was not scanned.
 */
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

/**
 * Tells if a finding is a reason to withhold a text.
 *
 * @throws TenonError `options/invalid` for a value that is not a finding.
 */
export function isThreat(finding: Pick<Finding, 'kind'>): boolean {
  requireArgument('`finding` of isThreat', finding, checkObject());
  return THREAT_KINDS.has(finding.kind);
}

/** Kinds of findings that are visible, or part of the meaning. They are reported and not removed. */
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
 * Severity of a finding.
 *
 * - `strip`: the text has no purpose for people. It is removed if the policy says so.
 * - `warn`: a person or a policy should know. The kinds `instruction`, `cross-tool`, `chat-markup` and `encoded-text`
 *   depend on language and are best effort. A text without findings may still be unsafe.
 */
export type FindingSeverity = 'strip' | 'warn';

/** Suspicious part of a server's text. */
export interface Finding {
  /** Kind of the finding. */
  readonly kind: FindingKind;
  /** Severity of the finding. */
  readonly severity: FindingSeverity;
  /** Offset from the start of the text, in UTF-16 units. */
  readonly at: number;
  /** Length in UTF-16 units. */
  readonly length: number;
  /** Text of the finding, safe to display. Invisible text is decoded if possible. At most 200 characters. */
  readonly excerpt: string;
  /** Path of the text: `description`, `inputSchema/properties/city/description`. At most 300 characters. */
  readonly where: string;
}

/** Finding without its excerpt. */
export interface FindingCandidate {
  readonly kind: FindingKind;
  readonly severity: FindingSeverity;
  readonly at: number;
  readonly length: number;
  /**
   * Text to show in the excerpt.
   * @default the text itself
   */
  readonly shown?: string;
}

/** Receives the candidates one by one, so that no list of them is needed. */
export type OnFindingCandidate = (sighting: FindingCandidate) => void;

/** Maximum number of findings of one kind, per text and per value (a tool, a result). */
export const MAX_FINDINGS_PER_KIND = { text: 10, value: 20 } as const;
