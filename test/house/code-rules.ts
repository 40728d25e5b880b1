import {
  findAnyTypes,
  findUnnamedExports,
  getCalls,
  getExportedNames,
  getIdentifiers,
  getReplacements,
  getStrings,
  isDeclarationFile,
  type Source,
} from './source.js';

const version = /\b(2024-11-05|2025-03-26|2025-06-18|2025-11-25|2026-07-28)\b/;
const vagueNames = /(^|\/)(core|common|shared|utils?|helpers?|internal|misc)(\/|\.|$)/;
const ages = new Set(['legacy', 'modern', 'era', 'eras', 'old', 'older', 'new', 'newer']);

/** A date of a protocol version in the code: only a dialect may have one. Comments may, since they link to pages. */
export function findVersionDates(source: Source): string[] {
  if (source.path.startsWith('protocol/versions/')) return [];
  const found = getStrings(source).filter(({ text }) => version.test(text));
  return found.map(({ text, line }) => `${source.path}:${line} has the protocol version ${JSON.stringify(text)}`);
}

export function findVagueFileName({ path }: Source): string[] {
  return vagueNames.test(path) ? [`${path} is named by nothing that it holds`] : [];
}

/** A name of the specification, and names of `validate-npm-package-name`, TypeScript, `node:worker_threads` and QuickJS. */
const NAMES_OF_OTHERS =
  /^(?:LegacyTitledEnumSchema|validForNewPackages|(?:is)?NewExpression|maxOldGenerationSizeMb|new(?:QuickJSWASMModuleFromVariant|Variant|Runtime|Context|Object|Function|Number|String))$/;

/** Words of age, which are wrong on the day of the next protocol version. */
export function findAgeNames(source: Source): string[] {
  const inCode = getIdentifiers(source).filter(({ name }) => isAged(name) && !NAMES_OF_OTHERS.test(name));
  const notifications = inCode.map(({ name, line }) => `${source.path}:${line} names ${name} by its age`);
  return isAged(source.path) ? [`${source.path} is named by age`, ...notifications] : notifications;
}

function isAged(name: string): boolean {
  const words = name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/);
  return words.some(word => ages.has(word.toLowerCase()));
}

/** `any` in the types, `export *` and default exports. */
export function findLooseExports(source: Source): string[] {
  if (isDeclarationFile(source)) return [];
  return [
    ...[...findAnyTypes(source)].map(line => `${source.path}:${line} has the type any`),
    ...[...findUnnamedExports(source)].map(line => `${source.path}:${line} exports without naming what`),
  ];
}

/** The names that only one of two modules exports. */
export function findDifferentExports(one: Source, other: Source): string[] {
  const [first, second] = [new Set(getExportedNames(one)), new Set(getExportedNames(other))];
  const only = (names: Set<string>, others: Set<string>, path: string): string[] =>
    [...names].filter(name => !others.has(name)).map(name => `only ${path} exports ${name}`);
  return [...only(first, second, one.path), ...only(second, first, other.path)];
}

/** Programs that every machine with Node, npm and git has. */
const usualPrograms = new Set(['sh', 'git', 'npm', 'id', 'mkfifo']);

/** Programs that a test starts by a name of its own, instead of the path that `scripts/optional-programs.mjs` finds. */
export function findProgramNames(source: Source): string[] {
  const started = getCalls(source).filter(({ callee }) => /^(spawn|exec)(File)?(Sync)?\b|execFile\)$/.test(callee));
  return started
    .filter(({ text }) => text !== undefined && !usualPrograms.has(text))
    .map(({ text, line }) => `${source.path}:${line} starts ${text} without a check that it is installed`);
}

/** Escapes within a text of another language: character references, and escapes of a string that are put together. */
const ESCAPE = /&(?:amp|lt|gt|quot|apos|#39|#x27);|\\(?:u003[ce]|[uUx]\{?$)|&#x?$/;
/** Characters that end a text in HTML, source code, shells, TOML, YAML, CSV or Markdown. */
const DELIMITER = /[<>&"'`|]/;
/** One text in quotes, or one class of characters. Classes of all other characters replace what they do not name. */
const ONE_CHARACTER =
  /^(['"`])(.{1,2})\1$|^\/\[(?!\^)((?:\\.|[^\]\\])+)\]\/[gimsuy]*$|^\/((?:\\.|[^\\[(])(?:\|(?:\\.|[^\\[(]))*)\/[gimsuy]*$/;
/** Replacements that remove a character, or write it for a URL. */
const NO_ESCAPE = /^(['"])[\s?_-]*\1$|%|encodeURIComponent/;

/**
 * Escapes of a text for another language. They are written in `redaction/` of `@tenon/base` only, because each of them
 * forgets a character of its own: a hidden one, a line end, the end of a script.
 */
export function findHandmadeEscapes(source: Source): string[] {
  const written = getStrings(source).filter(({ text }) => ESCAPE.test(text));
  const replaced = getReplacements(source).filter(({ pattern, replacement }) => {
    const [, , text, members, literal] = ONE_CHARACTER.exec(pattern) ?? [];
    return DELIMITER.test(text ?? members ?? literal ?? '') && !NO_ESCAPE.test(replacement);
  });
  return [...new Set([...written, ...replaced].map(({ line }) => `${source.path}:${line} escapes a text by itself`))];
}
