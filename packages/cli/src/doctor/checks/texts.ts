import {
  isThreat,
  type Finding as ScreeningFinding,
  sanitizeName,
  sanitizeText,
  screenInstructions,
  screenPrompt,
  screenResource,
  screenTool,
} from '@tenon/host';
import { describeKind } from '../../host/screening-text.js';
import { formatCount } from '../../screen.js';
import type { Check, Connection } from '../check.js';
import type { Finding } from '../finding.js';

const MAX_SHOWN = 3;
const MAX_EXCERPT = 80;
const WITHHELD_CAUSE = 'hosts that screen definitions withhold such texts, because attacks have the same form';

/** Finding of screening, with the definition that has it. */
interface TextFinding extends ScreeningFinding {
  readonly of: string;
}

/** Screens the texts of definitions, which reach the model, as hosts do. */
export const textsCheck: Check = {
  id: 'texts',
  title: 'Texts for the model',
  requires: 'connection',
  run({ connection }, { ok, info, warning }) {
    if (!connection) return [];
    const all = screenDefinitions(connection);
    const hidden = all.filter(({ severity }) => severity === 'strip');
    const withheld = all.filter(finding => finding.severity !== 'strip' && isThreat(finding));
    const threats = withheld.filter(finding => !isGuidance(finding));
    const guidance = withheld.filter(isGuidance);
    const findings: Finding[] = [];
    if (hidden.length > 0)
      findings.push(
        warning('invisible', `${formatCount(hidden.length, 'place')} with characters that people cannot see`, {
          seen: describe(hidden),
          cause: 'models read them, so hosts remove them, and clients with a lock ask the user',
          fix: 'remove these characters from the definitions',
        }),
      );
    if (threats.length > 0)
      findings.push(
        warning('instruction', `${formatCount(threats.length, 'text')} like an instruction to the model`, {
          seen: describe(threats),
          cause: WITHHELD_CAUSE,
          fix: 'describe the effect of the tool, and leave its use to the model',
        }),
      );
    if (guidance.length > 0)
      findings.push(
        info('guidance', `${formatCount(guidance.length, 'text')} that guide the model`, {
          seen: describe(guidance),
          cause: WITHHELD_CAUSE,
          fix: 'name the input that another tool provides, and leave the order of calls to the model',
        }),
      );
    return findings.length > 0 ? findings : [ok('plain', 'the texts of the definitions are plain')];
  },
};

/** Sound servers tell the model which of their tools to call first, and their instructions address it. */
function isGuidance({ kind, where }: TextFinding): boolean {
  return kind === 'cross-tool' || (kind === 'instruction' && where === 'instructions');
}

function screenDefinitions({ client, tools, prompts, resources }: Connection): TextFinding[] {
  const found: TextFinding[] = [];
  const add = (of: string, screen: () => { readonly findings: readonly ScreeningFinding[] }): void => {
    found.push(...screen().findings.map(each => ({ ...each, of: sanitizeName(of) })));
  };
  const { instructions } = client.server;
  if (instructions !== undefined) add('the server', () => screenInstructions(instructions));
  for (const tool of tools) add(tool.name, () => screenTool(tool));
  for (const prompt of prompts) add(prompt.name, () => screenPrompt(prompt));
  for (const resource of resources) add(resource.name, () => screenResource(resource));
  return found;
}

function describe(findings: readonly TextFinding[]): string {
  const shown = findings.slice(0, MAX_SHOWN).map(({ of, where, kind, excerpt }) => {
    return `${of}, ${sanitizeText(where)}: ${describeKind(kind)}: "${sanitizeText(excerpt, { max: MAX_EXCERPT })}"`;
  });
  const more = findings.length - shown.length;
  return shown.join(' | ') + (more > 0 ? ` and ${more} more` : '');
}
