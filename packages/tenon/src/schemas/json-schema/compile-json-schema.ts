import { copyThroughJson, isObject, type JsonObject, shorten, type TenonError } from '@tenon/base';
import { detectDraft } from '../draft.js';
import { PatternCompiler, type PatternLimits } from '../patterns/pattern-compiler.js';
import { isWorkLimitError } from './broken-schema.js';
import { addFailure, type CheckRun, type Failure, listNames, MAX_STEPS, type SchemaCheck } from './check-run.js';
import type { CompiledKeyword, KeywordContext } from './keyword-compiler.js';
import { getKeywordShape } from './keyword-shapes.js';
import { KEYWORDS } from './keywords.js';
import { joinObjectChecks } from './object-keywords.js';
import { createInvalidCheck, createSchemaCheck, createScopedCheck, createTrackingCheck } from './schema-checks.js';
import { SchemaDocument, type SchemaResource } from './schema-document.js';

/** A schema that was compiled to functions. */
export interface CompiledSchema {
  /** Parts that are invalid. A value that reaches one of them cannot be checked. */
  readonly faults: readonly string[];
  /**
   * Returns the failures of a value, or `undefined` for a valid value. The list is empty if the failures take too many
   * steps to find.
   * @throws TenonError `schema/work-limit` if the check takes too many steps.
   */
  findFailures(value: unknown): readonly Failure[] | undefined;
}

/** Maximum number of nested values for which all failures are found. In a larger value, the first one ends the search. */
const MAX_EXPLAINED = 5_000;

/**
 * Compiles a JSON Schema to functions, without `eval`. Throws `schema/broken` or `schema/unknown-dialect`.
 * @param patternLimits Set for a schema from a peer.
 */
export function compileJsonSchema(json: JsonObject, patternLimits?: PatternLimits): CompiledSchema {
  const draft = detectDraft(json);
  // The copy is not affected when the author changes the schema later, and it contains each part only once.
  const document = new SchemaDocument(copyThroughJson(json) as JsonObject, draft);
  const compiler = new SchemaCompiler(document, patternLimits);
  const check = compiler.compile(document.root.root, document.root);
  const createRun = (failures: Failure[] | undefined, steps: number): CheckRun => ({
    isSimple: failures === undefined && !document.tracksEvaluated,
    stopsAtFirst: true,
    failures,
    path: [],
    evaluated: undefined,
    scope: undefined,
    steps,
    failureCount: 0,
  });
  return {
    faults: compiler.faults,
    findFailures(value) {
      const first = createRun(undefined, MAX_STEPS);
      // Failures are found by a second check, so that valid values need no extra time.
      if (check(value, first)) return undefined;
      const failures: Failure[] = [];
      const run = createRun(failures, first.steps);
      try {
        run.stopsAtFirst = !isSmall(value, run);
        check(value, run);
      } catch (error) {
        if (!isWorkLimitError(error)) throw error;
        return [];
      }
      return failures;
    },
  };
}

function isSmall(json: unknown, run: CheckRun): boolean {
  let left = MAX_EXPLAINED;
  const waiting = [json];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    left -= Array.isArray(value) ? value.length : listNames(value, run).length;
    if (left < 0) return false;
    for (const each of Object.values(value)) waiting.push(each);
  }
  return true;
}

class SchemaCompiler {
  readonly faults: string[] = [];
  readonly #document: SchemaDocument;
  readonly #checks = new Map<unknown, SchemaCheck>();
  readonly #patterns: PatternCompiler;

  constructor(document: SchemaDocument, patternLimits: PatternLimits | undefined) {
    this.#document = document;
    this.#patterns = new PatternCompiler(patternLimits);
  }

  compile(schema: unknown, outer: SchemaResource): SchemaCheck {
    let check = this.#checks.get(schema);
    if (check === undefined) {
      check = isObject(schema)
        ? this.#compileObject(schema, this.#document.getResource(schema, outer))
        : this.#compileBoolean(schema);
      this.#checks.set(schema, check);
    }
    return check;
  }

  #compileObject(schema: JsonObject, resource: SchemaResource): SchemaCheck {
    let check = this.#compileKeywords(withoutDependencies(schema), resource);
    if (schema.unevaluatedProperties !== undefined || schema.unevaluatedItems !== undefined) {
      check = createTrackingCheck(check);
    }
    return this.#document.isDynamic ? createScopedCheck(check, resource) : check;
  }

  #compileBoolean(schema: unknown): SchemaCheck {
    if (schema === true) return () => true;
    if (schema !== false) return this.#compileInvalid(`${shorten(JSON.stringify(schema))} is not a schema`);
    return (value, run) => {
      addFailure(run, 'false', value, false, []);
      return false;
    };
  }

  #compileInvalid(reason: string, createError?: (reason: string) => TenonError): SchemaCheck {
    this.faults.push(reason);
    return createInvalidCheck(reason, createError);
  }

  #compileKeywords(schema: JsonObject, resource: SchemaResource): SchemaCheck {
    const context: KeywordContext = {
      schema,
      resource,
      document: this.#document,
      compile: (each, other = resource) => this.compile(each, other),
      compilePattern: source => this.#patterns.compile(source),
      compileInvalid: (reason, createError) => this.#compileInvalid(reason, createError),
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
          : this.#compileInvalid(`its ${keyword} ${shorten(JSON.stringify(expected))} is not ${shape.expected}`);
      if (check !== undefined) keywords.push({ keyword, expected, check });
    }
    return createSchemaCheck(keywords, joinObjectChecks(keywords, context));
  }
}

/** Converts `dependencies` of draft-07, which has two meanings, to the two keywords of later drafts. */
function withoutDependencies(schema: JsonObject): JsonObject {
  if (!isObject(schema.dependencies)) return schema;
  const entries = Object.entries(schema.dependencies);
  const select = (isNames: boolean) =>
    Object.fromEntries(entries.filter(([, each]) => Array.isArray(each) === isNames));
  return { dependentRequired: select(true), dependentSchemas: select(false), ...schema };
}
