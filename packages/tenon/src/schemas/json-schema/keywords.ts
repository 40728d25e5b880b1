import { ARRAY_KEYWORDS } from './array-keywords.js';
import { COMBINING_KEYWORDS } from './combining-keywords.js';
import type { KeywordCompiler } from './keyword-compiler.js';
import { OBJECT_KEYWORDS } from './object-keywords.js';
import { REFERENCE_KEYWORDS } from './reference-keywords.js';
import { SCALAR_KEYWORDS, VALUE_KEYWORDS } from './value-keywords.js';

/** All keywords, in the order in which they are checked. */
export const KEYWORDS: readonly (readonly [keyword: string, compile: KeywordCompiler])[] = Object.entries({
  ...REFERENCE_KEYWORDS,
  ...VALUE_KEYWORDS,
  ...COMBINING_KEYWORDS,
  ...OBJECT_KEYWORDS,
  ...ARRAY_KEYWORDS,
  ...SCALAR_KEYWORDS,
});
