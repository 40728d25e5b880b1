import {
  anyTypesOf,
  exportedNames,
  functionsOf,
  identifiersOf,
  isDeclaration,
  type Source,
  stringsOf,
  unnamedExportsOf,
} from './source.js';

const longestFile = 300;
export const longestOfMost = 180;
const longestFunction = 60;

const revision = /\b(2024-11-05|2025-03-26|2025-06-18|2025-11-25|2026-07-28)\b/;
const vagueNames = /(^|\/)(core|common|shared|utils?|helpers?|internal|misc)(\/|\.|$)/;
const ages = new Set(['legacy', 'modern', 'era', 'eras', 'old', 'older', 'new', 'newer']);

/** A date of a revision in the code: only a dialect may have one. Comments may, since they link to pages. */
export function dates(source: Source): string[] {
  if (source.path.startsWith('protocol/versions/')) return [];
  const found = stringsOf(source).filter(({ text }) => revision.test(text));
  return found.map(({ text, line }) => `${source.path}:${line} has the revision ${JSON.stringify(text)}`);
}

export function vagueName({ path }: Source): string[] {
  return vagueNames.test(path) ? [`${path} is named by nothing that it holds`] : [];
}

/** Words of age, which are wrong on the day of the next revision. `LegacyTitledEnumSchema` is the specification's own. */
export function agedNames(source: Source): string[] {
  const inCode = identifiersOf(source).filter(({ name }) => isAged(name) && !/^LegacyTitledEnumSchema$/.test(name));
  const told = inCode.map(({ name, line }) => `${source.path}:${line} names ${name} by its age`);
  return isAged(source.path) ? [`${source.path} is named by age`, ...told] : told;
}

function isAged(name: string): boolean {
  const words = name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/);
  return words.some(word => ages.has(word.toLowerCase()));
}

/** `any` in the types, `export *` and default exports. */
export function looseExports(source: Source): string[] {
  if (isDeclaration(source)) return [];
  return [
    ...[...anyTypesOf(source)].map(line => `${source.path}:${line} has the type any`),
    ...[...unnamedExportsOf(source)].map(line => `${source.path}:${line} exports without naming what`),
  ];
}

export function longFile(source: Source): string[] {
  const lines = linesOf(source);
  return lines > longestFile ? [`${source.path} has ${lines} lines`] : [];
}

export function longFunctions(source: Source): string[] {
  const long = functionsOf(source).filter(({ lines }) => lines > longestFunction);
  return long.map(({ name, line, lines }) => `${source.path}:${line} ${name} has ${lines} lines`);
}

/** The length that nine files of ten do not exceed. */
export function ninetiethLength(sources: readonly Source[]): number {
  const lengths = sources.map(linesOf).sort((a, b) => a - b);
  return lengths[Math.ceil(lengths.length * 0.9) - 1] ?? 0;
}

/** The names that only one of two modules exports. */
export function differentNames(one: Source, other: Source): string[] {
  const [first, second] = [new Set(exportedNames(one)), new Set(exportedNames(other))];
  const only = (names: Set<string>, others: Set<string>, path: string): string[] =>
    [...names].filter(name => !others.has(name)).map(name => `only ${path} exports ${name}`);
  return [...only(first, second, one.path), ...only(second, first, other.path)];
}

const linesOf = ({ tree }: Source): number => tree.text.replace(/\n$/, '').split('\n').length;
