import { type Finding, isThreat, type ScreeningReport, sanitizeName, sanitizeText } from '@tenon/host';

/** Handling of texts that look like instructions to a model. */
export type ScreeningMode = 'report' | 'mask' | 'block';

/** Maximum number of characters of a text that is shown. */
const MAX_EXCERPT = 120;

/** Descriptions of findings. The other kinds are invisible or special characters. */
const KINDS: Readonly<Partial<Record<Finding['kind'], string>>> = {
  ansi: 'control sequences of terminals',
  bidi: 'characters that change the direction of text',
  'chat-markup': 'markup of a chat with a model',
  'cross-tool': 'text about the use of other tools',
  'encoded-text': 'encoded text',
  exfiltration: 'text that asks for data or secrets',
  'hidden-html': 'hidden HTML',
  html: 'HTML',
  instruction: 'text that looks like an instruction to a model',
  'link-mismatch': 'a link with the text of another address',
  lookalike: 'letters that look like others',
  'remote-image': 'an image of another site',
  'shadowed-name': 'the name of a tool of another server',
  'stacked-marks': 'stacked marks',
  unscanned: 'text that is too long to check',
  'url-scheme': 'a link with an unusual scheme',
  whitespace: 'long blank space',
};

/** Describes a kind of findings. */
export const describeKind = (kind: Finding['kind']): string => KINDS[kind] ?? 'invisible characters';

const NEXT: Readonly<Record<ScreeningMode, string>> = {
  report: 'It reaches the model unless you pass --screening mask or block.',
  mask: 'A notice replaces it.',
  block: 'A notice or an error replaces it.',
};

/** Descriptions of the places. Each other one is named like its kind. */
const PLACES: Readonly<Partial<Record<ScreeningReport['kind'], string>>> = {
  result: 'result of',
  elicitation: 'input request',
};

/**
 * Describes the findings in a text of a server: the findings, their place, and their handling.
 *
 * @param mode Absent for a command without `--screening`, which passes such texts on.
 */
export function describeScreening(
  { server, kind, name, findings }: ScreeningReport,
  mode: ScreeningMode | undefined,
): string {
  const found = [...new Set(findings.map(each => describeKind(each.kind)))].join(', ');
  const [first] = findings;
  const named = `${PLACES[kind] ?? kind} ${sanitizeName(name)}`;
  const place =
    kind === 'instructions' ? 'instructions' : named + (first?.where ? `, ${sanitizeText(first.where)}` : '');
  const excerpt = first === undefined ? '' : `: "${sanitizeText(first.excerpt, { max: MAX_EXCERPT })}"`;
  return `server ${sanitizeName(server)}, ${place}: contains ${found}${excerpt}. ${describeHandling(findings, mode)}`;
}

function describeHandling(findings: readonly Finding[], mode: ScreeningMode | undefined): string {
  if (mode !== undefined && findings.some(isThreat)) return NEXT[mode];
  return findings.every(({ severity }) => severity === 'strip') ? 'They are removed.' : 'It reaches the model.';
}
