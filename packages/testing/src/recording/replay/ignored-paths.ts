import { type IgnorePath, parseIgnoredPaths } from './compare-json.js';
import { OPAQUE_MEMBERS } from './opaque-values.js';

/** Paths in responses that are not compared, with those that matched nothing. */
export class IgnoredPaths {
  readonly #isOpaque = parseIgnoredPaths(OPAQUE_MEMBERS);
  readonly #patterns: readonly { readonly pattern: string; readonly isMatch: IgnorePath }[];
  readonly #matched = new Set<string>();

  constructor(patterns: readonly string[]) {
    this.#patterns = patterns.map(pattern => ({ pattern, isMatch: parseIgnoredPaths(listForms(pattern)) }));
  }

  /** The patterns that no value of a response matched so far. */
  get unmatched(): string[] {
    return this.#patterns.map(({ pattern }) => pattern).filter(pattern => !this.#matched.has(pattern));
  }

  /**
   * Tells if a value is not compared.
   *
   * @param path Path in the result or error.
   */
  matches(path: readonly string[]): boolean {
    const paths = [path, ...listCopies(path)];
    const matching = this.#patterns.filter(({ isMatch }) => paths.some(isMatch));
    for (const { pattern } of matching) this.#matched.add(pattern);
    return matching.length > 0 || this.#isOpaque(path);
  }
}

/** Reports have paths from the response on. Both forms are accepted. */
const listForms = (pattern: string): string[] =>
  /^\/(?:result|error)\//.test(pattern) ? [pattern, pattern.slice(pattern.indexOf('/', 1))] : [pattern];

/** Lists the paths in the structured content that a value in the text of a result is a copy of. */
function listCopies([content, _, text, ...rest]: readonly string[]): string[][] {
  return content === 'content' && text === 'text' && rest.length > 0 ? [['structuredContent', ...rest]] : [];
}
