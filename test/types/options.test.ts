import ts from 'typescript-5';
import { describe, expect, it } from 'vitest';
import { edit } from './editor.js';
import { ENTRIES } from './entries.js';
import { findOptionMembers } from './option-members.js';

/** Here the platform decides: `fetch` itself does not accept `undefined`. */
const OF_THE_PLATFORM = [
  'fetchWithAddressCheck(init).body',
  'toHostServers()[].fetch(init).body',
  'toHostServers()[].fetch(init).signal',
];
/** A client, which passes these values to callbacks: nobody writes them. */
const OF_A_CLIENT = 'toAiTools(source).listTools(';

/** Durations; the others have their unit in the comment, and bytes in their name. */
const DURATION = /(?:timeout|ttl|interval|delay|window|elapsed|retry|tolerance|age|^after|^minIdle\w*)$/i;
/** Names of types that hold options. */
const LISTED_OWNER = /(?:Options|Limits|Policy|Entry|Quota|Rate)$/;

interface NumberOption {
  readonly owner: string;
  readonly name: string;
  readonly comment: string;
  /** Text of `@default`. */
  readonly fallback: string | undefined;
}

function findNumbers(declarations: readonly ts.Node[]): NumberOption[] {
  const found = declarations.flatMap(declaration => {
    const { parent } = declaration;
    if (!ts.isPropertySignature(declaration) || !ts.isInterfaceDeclaration(parent)) return [];
    // Users do not set internal options.
    if (ts.getJSDocTags(declaration).some(({ tagName }) => tagName.text === 'internal')) return [];
    const isNumber = /^number( |$)/.test(declaration.type?.getText() ?? '');
    if (!isNumber) return [];
    if (!declaration.questionToken && !LISTED_OWNER.test(parent.name.text)) return [];
    return [
      {
        owner: parent.name.text,
        name: declaration.name.getText(),
        comment: getComment(declaration),
        fallback: getDefault(declaration),
      },
    ];
  });
  const byName = new Map(found.map(each => [`${each.owner}.${each.name}`, each]));
  return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

function getComment(declaration: ts.Node): string {
  return ts
    .getJSDocCommentsAndTags(declaration)
    .map(each => ts.getTextOfJSDocComment(each.comment) ?? '')
    .join(' ')
    .replace(/\s+/g, ' ');
}

/** Returns the text of `@default`, whose backticks TypeScript takes for the text itself. */
function getDefault(declaration: ts.Node): string | undefined {
  const tag = ts.getJSDocTags(declaration).find(({ tagName }) => tagName.text === 'default');
  return tag && ts.getTextOfJSDocComment(tag.comment)?.replace(/\s+/g, ' ');
}

const escapeCell = (text: string) => text.replaceAll('|', '\\|');

function formatPage(numbers: readonly NumberOption[]): string {
  const listed = numbers.filter(({ owner }) => LISTED_OWNER.test(owner));
  const owners = [...new Set(listed.map(({ owner }) => owner))];
  const tables = owners.map(owner => {
    const rows = listed.filter(each => each.owner === owner);
    const lines = rows.map(
      ({ name, comment, fallback = '–' }) => `| \`${name}\` | ${escapeCell(comment)} | ${escapeCell(fallback)} |`,
    );
    return [`## ${owner}`, '', '| option | meaning and unit | default |', '|---|---|---|', ...lines].join('\n');
  });
  return [
    '# Durations and limits',
    '',
    'This page lists every option with a number, grouped by its type. All durations are in milliseconds. Names of size limits end in `Bytes`',
    '(bytes) or `Size` (characters of JSON text). `Infinity` means no limit, unless the table states otherwise.',
    '',
    tables.join('\n\n'),
    '',
  ].join('\n');
}

describe('options', () => {
  const { program, source } = edit(ENTRIES.map((entry, index) => `export * as e${index} from '${entry}';`).join('\n'));
  const checker = program.getTypeChecker();
  const modules = checker.getExportsOfModule(checker.getSymbolAtLocation(source) as ts.Symbol);
  const members = modules.flatMap(namespace =>
    findOptionMembers(checker, checker.getExportsOfModule(checker.getAliasedSymbol(namespace))),
  );

  it('are found in every entry', () => {
    const paths = members.map(({ path }) => path);
    expect(members.length).toBeGreaterThan(300);
    for (const path of [
      'connect(options).protocolVersion',
      'createServer(definition).stores',
      'createServer().tools.set(item).description',
    ])
      expect(paths).toContain(path);
  });

  it('accept `undefined` when optional, under exactOptionalPropertyTypes', () => {
    const strict = members.filter(
      ({ isStrict, path }) => isStrict && !OF_THE_PLATFORM.includes(path) && !path.startsWith(OF_A_CLIENT),
    );
    expect(strict.map(({ path }) => path)).toEqual([]);
  });

  const numbers = findNumbers(members.map(({ declaration }) => declaration));

  it('state milliseconds in the documentation comment of each duration', () => {
    const durations = numbers.filter(({ name }) => DURATION.test(name));
    expect(durations.length).toBeGreaterThan(40);
    const silent = durations.filter(({ comment }) => !/\b(?:ms|milliseconds)\b/i.test(comment));
    expect(silent.map(({ owner, name }) => `${owner}.${name}`)).toEqual([]);
  });

  it('state their defaults by the tag `@default`, so that editors and the API reference show them', () => {
    const asText = members.filter(({ declaration }) => /\bDefault:? /.test(getComment(declaration)));
    expect(asText.map(({ path }) => path)).toEqual([]);
  });

  // `npx vitest run test/types/options.test.ts -u` writes the page.
  it('appear on the page of durations and limits when they are numbers', async () => {
    await expect(formatPage(numbers)).toMatchFileSnapshot('../../docs/reference/limits.md');
  });

  it.each(['createServer(definition)', 'tool(definition)', 'prompt(definition)', 'resource(definition)', 'connect('])(
    'have a documentation comment in %s',
    start => {
      const own = members.filter(({ path }) => path.startsWith(start) && !path.slice(start.length).match(/\..*\./));
      const silent = own.filter(({ declaration }) => ts.getJSDocCommentsAndTags(declaration).length === 0);
      expect(silent.map(({ path }) => path)).toEqual([]);
    },
  );
});
