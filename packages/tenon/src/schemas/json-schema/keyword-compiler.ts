import type { JsonObject } from '../../jsonrpc/message.js';
import type { SchemaCheck } from './check-run.js';
import type { SchemaDocument, SchemaResource } from './schema-document.js';

/** The parts of a schema that a keyword is compiled with. */
export interface KeywordContext {
  /** The schema that the keyword belongs to. */
  readonly schema: JsonObject;
  readonly resource: SchemaResource;
  readonly document: SchemaDocument;
  /** @param resource Default: the one of the keyword. */
  compile(schema: unknown, resource?: SchemaResource): SchemaCheck;
  /** Compiles a regular expression. Throws `schema/broken`; the function throws `schema/cannot-validate`. */
  compilePattern(source: string): (text: string) => boolean;
}

/**
 * Compiles a keyword, whose value has the form of `getKeywordShape`. Undefined when there is nothing to check.
 * Each parameter has the type of that form, so callers cannot pass a value that they have not checked.
 */
export type KeywordCompiler = (expected: never, context: KeywordContext) => SchemaCheck | undefined;

export interface KeywordCompilers {
  readonly [keyword: string]: KeywordCompiler;
}
