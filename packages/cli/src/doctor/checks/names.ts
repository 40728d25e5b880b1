import type { Tool } from 'tenon';
import { formatCount } from '../../screen.js';
import type { Check } from '../check.js';
import type { Finding, FindingFactory } from '../finding.js';
import { getSpecificationPage } from '../finding.js';

/** Rule for tool names of a model API. */
interface NameRule {
  readonly id: string;
  readonly hosts: string;
  readonly pattern: RegExp;
  /** Characters that the pattern accepts. */
  readonly text: string;
}

const RULES: readonly NameRule[] = [
  {
    id: 'openai-anthropic',
    hosts: 'the APIs of OpenAI and Anthropic',
    pattern: /^[A-Za-z0-9_-]{1,64}$/,
    text: 'letters, digits, _ and -',
  },
  {
    id: 'gemini',
    hosts: 'the Gemini API',
    pattern: /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/,
    text: 'letters, digits and _ . : -, beginning with a letter or _',
  },
];

/** Maximum length of a tool name in all rules. */
const MAX_NAME = 64;
/** Maximum length of a tool name with the prefix `mcp__SERVER__`, which several hosts add. */
const MAX_PREFIXED = 64;
const MAX_SHOWN = 5;

/** Examines tool names by the rules of large hosts. */
export const namesCheck: Check = {
  id: 'names',
  title: 'Tool names',
  requires: 'connection',
  run({ connection }, findings) {
    const tools = connection?.tools ?? [];
    if (!connection || tools.length === 0) return [];
    const results = [
      ...checkDuplicates(tools, findings),
      ...checkRules(tools, findings),
      ...checkPrefixed(tools, connection.client.server.info?.name ?? '', findings),
    ];
    return results.length > 0 ? results : [findings.ok('valid', 'all hosts accept the names of the tools')];
  },
};

function checkDuplicates(tools: readonly Tool[], { warning, problem }: FindingFactory): Finding[] {
  const spec = getSpecificationPage('server/tools#tool-names');
  const exact = listRepeated(tools.map(({ name }) => name));
  const names = [...new Set(tools.map(({ name }) => name))];
  const alike = listRepeated(names.map(normalizeName));
  return [
    ...(exact.length === 0
      ? []
      : [problem('duplicate', 'several tools have the same name', { seen: shorten(exact), fix: 'rename them', spec })]),
    ...(alike.length === 0
      ? []
      : [
          warning('alike', 'tool names differ only in case or punctuation', {
            seen: shorten(names.filter(name => alike.includes(normalizeName(name)))),
            cause: 'hosts replace characters that their model API does not accept, so the names become equal',
            fix: 'use names that differ in letters or digits',
            spec,
          }),
        ]),
  ];
}

/** Reports each name once, by the first rule that it breaks. */
function checkRules(tools: readonly Tool[], { warning }: FindingFactory): Finding[] {
  const reported = new Set<string>();
  return RULES.flatMap(({ id, hosts, pattern, text }) => {
    const invalid = tools.map(({ name }) => name).filter(name => !pattern.test(name) && !reported.has(name));
    for (const name of invalid) reported.add(name);
    if (invalid.length === 0) return [];
    return [
      warning(id, `${invalid.length} of ${tools.length} tool names are invalid in ${hosts}`, {
        seen: shorten(invalid),
        cause: 'hosts drop or rename these tools, and some then fail with all tools',
        fix: `use at most ${MAX_NAME} characters: ${text}`,
      }),
    ];
  });
}

function checkPrefixed(tools: readonly Tool[], server: string, { info }: FindingFactory): Finding[] {
  const prefix = `mcp__${normalizeName(server)}__`;
  const long = tools.filter(({ name }) => name.length <= MAX_PREFIXED && prefix.length + name.length > MAX_PREFIXED);
  if (long.length === 0) return [];
  return [
    info('prefixed', `${formatCount(long.length, 'tool name')} of more than ${MAX_PREFIXED} characters with a prefix`, {
      seen: shorten(long.map(({ name }) => prefix + name)),
      cause: 'some hosts add the name of the server, and shorten or drop longer names',
      fix: 'shorten the names of the tools',
    }),
  ];
}

const normalizeName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '_');

const listRepeated = (names: readonly string[]): string[] => [
  ...new Set(names.filter((name, index) => names.indexOf(name) !== index)),
];

/** Lists the first names of a long list. */
export function shorten(names: readonly string[]): string {
  const more = names.length - MAX_SHOWN;
  const shown = names.slice(0, MAX_SHOWN).map(name => name.slice(0, 100));
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
