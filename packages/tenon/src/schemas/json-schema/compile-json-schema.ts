import { copyThroughJson } from '../../encoding/json-value.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import { detectDraft } from '../draft.js';
import { toUnicodePattern } from '../patterns/unicode-pattern.js';
import { createBrokenSchemaError, createCannotValidateError, shorten } from './broken-schema.js';
import type { CheckRun, Failure, SchemaCheck } from './check-run.js';
import type { KeywordContext } from './keyword-compiler.js';
import { getKeywordShape } from './keyword-shapes.js';
import { KEYWORDS } from './keywords.js';
import {
  type CompiledKeyword,
  createCountedCheck,
  createInvalidCheck,
  createSchemaCheck,
  createScopedCheck,
  createTrackingCheck,
  rejectAll,
} from './schema-checks.js';
import { SchemaDocument, type SchemaResource } from './schema-document.js';

/** Estimates the maximum length of a string for which a pattern is tried. */
export type EstimateMaxLength = (pattern: string) => number;

/** Maximum number of subschemas that one check by a peer's schema may apply. */
const MAX_STEPS = 500_000;
/** Maximum length of all patterns of a peer's schema together, in characters. */
const MAX_PATTERN_TEXT = 20_000;

/** A schema that was compiled to functions. */
export interface CompiledSchema {
  isValid(value: unknown): boolean;
  /** @param stopsAtFirst If true, the first member that fails ends the search among its siblings. */
  findFailures(value: unknown, stopsAtFirst: boolean): readonly Failure[];
}

/**
 * Compiles a JSON Schema to functions, without `eval`. Throws `schema/broken` or `schema/unknown-dialect`.
 * @param estimateMaxLength Set for a schema from a peer, whose steps are counted too.
 */
export function compileJsonSchema(json: JsonObject, estimateMaxLength?: EstimateMaxLength): CompiledSchema {
  const draft = detectDraft(json);
  // The copy is not affected when the author changes the schema later, and it contains each part only once.
  const document = new SchemaDocument(copyThroughJson(json) as JsonObject, draft);
  const check = new SchemaCompiler(document, estimateMaxLength).compile(document.root.root, document.root);
  const createRun = (failures: Failure[] | undefined, stopsAtFirst: boolean): CheckRun => ({
    isSimple: failures === undefined && !document.tracksEvaluated,
    stopsAtFirst,
    failures,
    path: [],
    evaluated: undefined,
    scope: undefined,
    steps: MAX_STEPS,
  });
  return {
    isValid: value => check(value, createRun(undefined, true)),
    findFailures(value, stopsAtFirst) {
      const failures: Failure[] = [];
      check(value, createRun(failures, stopsAtFirst));
      return failures;
    },
  };
}

class SchemaCompiler {
  readonly #document: SchemaDocument;
  readonly #estimateMaxLength: EstimateMaxLength | undefined;
  readonly #checks = new Map<unknown, SchemaCheck>();
  #patternLength = 0;

  constructor(document: SchemaDocument, estimateMaxLength: EstimateMaxLength | undefined) {
    this.#document = document;
    this.#estimateMaxLength = estimateMaxLength;
  }

  compile(schema: unknown, outer: SchemaResource): SchemaCheck {
    let check = this.#checks.get(schema);
    if (check === undefined) {
      check = isObject(schema)
        ? this.#compileObject(schema, this.#document.getResource(schema, outer))
        : compileBoolean(schema);
      this.#checks.set(schema, check);
    }
    return check;
  }

  #compileObject(schema: JsonObject, resource: SchemaResource): SchemaCheck {
    const keywords = this.#compileKeywords(withoutDependencies(schema), resource);
    let check = createSchemaCheck(keywords);
    if (schema.unevaluatedProperties !== undefined || schema.unevaluatedItems !== undefined) {
      check = createTrackingCheck(check);
    }
    if (this.#document.isDynamic) check = createScopedCheck(check, resource);
    return this.#estimateMaxLength === undefined ? check : createCountedCheck(check);
  }

  #compileKeywords(schema: JsonObject, resource: SchemaResource): CompiledKeyword[] {
    const context: KeywordContext = {
      schema,
      resource,
      document: this.#document,
      compile: (each, other = resource) => this.compile(each, other),
      compilePattern: source => this.#compilePattern(source),
    };
    const isReference = this.#document.draft === '7' && typeof schema.$ref === 'string';
    const keywords: CompiledKeyword[] = [];
    for (const [keyword, compileKeyword] of KEYWORDS) {
      const expected = Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
      if (expected === undefined || (isReference && keyword !== '$ref')) continue;
      const shape = getKeywordShape(keyword);
      const check =
        !shape || shape.isValid(expected)
          ? compileKeyword(expected as never, context)
          : createInvalidCheck(`its ${keyword} ${shorten(JSON.stringify(expected))} is not ${shape.expected}`);
      if (check !== undefined) keywords.push({ keyword, expected, check });
    }
    return keywords;
  }

  #compilePattern(source: string): (text: string) => boolean {
    const pattern = toUnicodePattern(source);
    if (pattern === undefined)
      throw createBrokenSchemaError(`its pattern ${shorten(JSON.stringify(source))} is not a regular expression`);
    const expression = new RegExp(pattern, 'u');
    if (this.#estimateMaxLength === undefined) return text => expression.test(text);
    this.#patternLength += pattern.length;
    const maxLength = this.#patternLength > MAX_PATTERN_TEXT ? 0 : this.#estimateMaxLength(pattern);
    return text => {
      if (text.length > maxLength) {
        throw createCannotValidateError(
          `the pattern ${shorten(JSON.stringify(pattern))} could take too long on a string of this length`,
        );
      }
      return expression.test(text);
    };
  }
}

function compileBoolean(schema: unknown): SchemaCheck {
  if (schema === true) return () => true;
  return schema === false ? rejectAll : createInvalidCheck(`${shorten(JSON.stringify(schema))} is not a schema`);
}

/** Converts `dependencies` of draft-07, which has two meanings, to the two keywords of later drafts. */
function withoutDependencies(schema: JsonObject): JsonObject {
  if (!isObject(schema.dependencies)) return schema;
  const entries = Object.entries(schema.dependencies);
  const select = (isNames: boolean) =>
    Object.fromEntries(entries.filter(([, each]) => Array.isArray(each) === isNames));
  return { dependentRequired: select(true), dependentSchemas: select(false), ...schema };
}
