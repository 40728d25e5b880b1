import type { JsonObject } from '../../jsonrpc/message.js';
import type { SchemaCheck } from './check-run.js';
import type { SchemaDocument, SchemaResource } from './schema-document.js';

/** Context for compiling a keyword. */
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
 * Compiles a keyword. Returns `undefined` if there is nothing to check. `getKeywordShape` has checked the shape of the
 * value, and the parameter has the type of that shape.
 */
export type KeywordCompiler = (expected: never, context: KeywordContext) => SchemaCheck | undefined;

export interface KeywordCompilers {
  readonly [keyword: string]: KeywordCompiler;
}
