import { readFileSync } from 'node:fs';
import {
  getDeclaredTypes,
  getDocComments,
  getExportedFunctions,
  getFunctionCodes,
  getIdentifiers,
  getNamedFunctions,
  type Source,
} from './source.js';
import { listTestTitles } from './test-titles.js';

const readWords = (name: string): ReadonlySet<string> =>
  new Set(
    readFileSync(new URL(name, import.meta.url), 'utf8')
      .split(/\s+/)
      .filter(Boolean),
  );

/** First words of function names: verbs, predicates and conversions. */
const FUNCTION_WORDS = readWords('function-words.txt');
/** Functions that users know by a noun, and methods that the web platform or Node names so. */
const FUNCTION_NAMES = readWords('function-names.txt');
/** Words that are in no identifier: private metaphors, and names that say nothing about a value. */
const BANNED_WORDS = readWords('banned-words.txt');
const RELATIVE_WORD = /^(?:what|whatever|who|whoever|whom|whose|whether|how|where|when|which|why|of|that)\b/i;

/** Words and phrases that only the authors of this project would understand. Each has a word of the specification instead. */
const PRIVATE_PHRASE =
  /\b(?:revisions?|roads?|vaults?|onions?|shel(?:f|ves)|errands?|loans?|spill|whoever|somebody|unasked|what is no|(?:the )?other end|come again|there where|as good as)\b/i;

/** Splits an identifier into lower-case words: `getHTTPStatus_2` has get, http and status. */
function splitWords(name: string): string[] {
  const words = name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/);
  return words.filter(Boolean).map(word => word.toLowerCase());
}

/** Finds types, interfaces and classes whose name is declared in several files. */
export function findDuplicateTypes(sources: readonly Source[]): string[] {
  return findRepeatedNames(sources.map(source => ({ path: source.path, names: getDeclaredTypes(source) })));
}

/**
 * Finds exported functions whose name is declared in several files. Package entries are left out, because `auth.node.ts` wraps
 * functions of `auth.ts` for Node, and the same file of two runtimes counts once.
 */
export function findDuplicateFunctions(sources: readonly Source[]): string[] {
  const modules = sources.filter(({ path }) => path.includes('/'));
  return findRepeatedNames(
    modules.map(source => ({
      path: source.path.replace(/^runtimes\/(?:node|web)\//, 'runtimes/*/'),
      names: getExportedFunctions(source),
    })),
  );
}

function findRepeatedNames(files: readonly { readonly path: string; readonly names: readonly string[] }[]): string[] {
  const paths = new Map<string, Set<string>>();
  for (const { path, names } of files)
    for (const name of names) paths.set(name, (paths.get(name) ?? new Set()).add(path));
  return [...paths].filter(([, { size }]) => size > 1).map(([name, found]) => `${name}: ${[...found].join(', ')}`);
}

/** Shortest code of a function that counts as a rule, in characters. */
const MIN_CODE = 55;

/** Finds functions with the same code in several places, under any names. */
export function findRepeatedFunctions(sources: readonly Source[]): string[] {
  const places = new Map<string, string[]>();
  for (const source of sources)
    for (const { name, code } of getFunctionCodes(source))
      places.set(code, [...(places.get(code) ?? []), `${source.path} ${name}`]);
  return [...places]
    .filter(([code, { length }]) => code.length >= MIN_CODE && length > 1)
    .map(([, found]) => found.join(', '));
}

/** Finds functions whose name does not begin with a verb. */
export function findFunctionsWithoutVerb(source: Source): string[] {
  return getNamedFunctions(source)
    .filter(({ name }) => !/^[A-Z_\d]+$/.test(name) && !FUNCTION_NAMES.has(name))
    .filter(({ name }) => !FUNCTION_WORDS.has(splitWords(name)[0] ?? ''))
    .map(({ name, line }) => `${source.path}:${line} ${name}`);
}

/** Finds declared names that contain a banned word. */
export function findBannedNames(source: Source): string[] {
  return getIdentifiers(source)
    .filter(({ name, isDeclared }) => isDeclared && splitWords(name).some(word => BANNED_WORDS.has(word)))
    .map(({ name, line }) => `${source.path}:${line} ${name}`);
}

/** Finds doc comments that begin with a relative word. */
export function findRelativeComments(source: Source): string[] {
  return getDocComments(source)
    .filter(({ text }) => RELATIVE_WORD.test(text))
    .map(({ text, line }) => `${source.path}:${line} ${text.slice(0, 60)}`);
}

/** Finds comments with words that only the authors of this project would understand. */
export function findPrivatePhrases(source: Source): string[] {
  const lines = source.tree.text.split('\n').map((text, index) => ({ text, line: index + 1 }));
  const lineComments = lines.flatMap(({ text, line }) => {
    const comment = /^\s*\/\/ (.*)/.exec(text)?.[1];
    return comment === undefined ? [] : [{ text: comment, line }];
  });
  return [...getDocComments(source), ...lineComments].flatMap(({ text, line }) => {
    const phrase = PRIVATE_PHRASE.exec(text.replace(/\s+/g, ' '))?.[0];
    return phrase === undefined ? [] : [`${source.path}:${line} ${phrase}`];
  });
}

/** Finds titles of tests and of groups of tests that begin with a relative word. */
export function findRelativeTitles(source: Source): string[] {
  return listTestTitles(source)
    .filter(({ text }) => RELATIVE_WORD.test(text))
    .map(({ text }) => `${source.path}: ${text.slice(0, 60)}`);
}
