import type { JsonObject, TenonError } from '@tenon/base';
import type { CheckRun, SchemaCheck } from './check-run.js';
import type { SchemaDocument, SchemaResource } from './schema-document.js';

/** Tells if a text matches a pattern. Throws `schema/work-limit` if that could take too many steps. */
export type PatternTest = (text: string, run: CheckRun) => boolean;

/** A compiled keyword of one schema. */
export interface CompiledKeyword {
  readonly keyword: string;
  /** The value of the keyword in the schema. */
  readonly expected: unknown;
  readonly check: SchemaCheck;
}

/** Context for compiling a keyword. */
export interface KeywordContext {
  /** The schema that the keyword belongs to. */
  readonly schema: JsonObject;
  readonly resource: SchemaResource;
  readonly document: SchemaDocument;
  /** @param resource Default: the one of the keyword. */
  compile(schema: unknown, resource?: SchemaResource): SchemaCheck;
  /** Compiles a regular expression. Returns `undefined` for an invalid one. */
  compilePattern(source: string): PatternTest | undefined;
  /**
   * Returns the check of a part that is invalid, and records the reason.
   * @param createError Creates the error of a value that reaches the part. Default: `schema/broken`.
   */
  compileInvalid(reason: string, createError?: (reason: string) => TenonError): SchemaCheck;
}

/**
 * Compiles a keyword. Returns `undefined` if there is nothing to check. `getKeywordShape` has checked the shape of the
 * value, and the parameter has the type of that shape.
 */
export type KeywordCompiler = (expected: never, context: KeywordContext) => SchemaCheck | undefined;

export interface KeywordCompilers {
  readonly [keyword: string]: KeywordCompiler;
}
