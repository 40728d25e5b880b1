import { TenonError } from '../jsonrpc/error.js';
import { isObject, type JsonObject } from '../jsonrpc/message.js';
import { forms, onItems, onMembers, onTheRest, references } from './applicators.js';
import { type Draft, draftOf } from './draft.js';
import { type Around, assertions, type Keyword } from './keywords.js';
import { unicodePattern } from './pattern.js';
import { References } from './references.js';
import { type Aim, type Check, cannotJudge } from './walk.js';

/** A JSON Schema that is ready to validate. */
export interface Prepared extends Pick<Aim, 'tracks' | 'steps'> {
  readonly check: Check;
}

/** What a schema may cost. */
export interface Bounds {
  /** Subschemas that one validation may apply. */
  readonly steps: number;
  /** Characters of all its patterns together. */
  readonly patternText: number;
  /** How long a string may be for a pattern to be tried on it. */
  readonly reach: (pattern: string) => number;
}

/** Who wrote the schema wrote this program too. */
export const boundless: Bounds = {
  steps: Number.POSITIVE_INFINITY,
  patternText: Number.POSITIVE_INFINITY,
  reach: () => Number.POSITIVE_INFINITY,
};

/** In the order in which faults are told. */
const KEYWORDS: readonly [string, Keyword][] = [references, assertions, forms, onMembers, onItems, onTheRest].flatMap(
  Object.entries<Keyword>,
);

const anything: Check = () => true;
const nothing: Check = (value, walk) => walk.fail('false', false, value);

/** Throws `schema/broken` when the schema can not be made to validate, whatever the value. */
export function prepare(json: JsonObject, bounds: Bounds): Prepared {
  const draft = draftOf(json);
  // A copy, whatever becomes of the schema. By JSON text a member that is called `__proto__` stays a member.
  const root = JSON.parse(JSON.stringify(json)) as JsonObject;
  const checks = new Map<JsonObject, Check>();
  const matchers = new Matchers(bounds);
  let tracks = false;
  const names = readNames(root, draft, node => {
    matchers.read(node);
    tracks ||= Object.keys(node).some(keyword => Object.hasOwn(onTheRest, keyword));
  });

  const checkOf = (schema: unknown): Check => {
    if (typeof schema === 'boolean') return schema ? anything : nothing;
    if (!isObject(schema)) throw cannotJudge('a part of it is no schema');
    const check =
      checks.get(schema) ??
      scoped(
        lazily(() => partsOf(schema)),
        schema,
      );
    checks.set(schema, check);
    return check;
  };
  const scoped = (check: Check, node: JsonObject): Check =>
    names.isDynamic ? within(names.baseOf(node), check) : check;
  const targetOf = (reference: string, target: unknown): Check => {
    if (target !== undefined) return checkOf(target);
    throw cannotJudge(`it refers to ${shorten(reference)}, which is not part of it and is never fetched`);
  };
  const partsOf = (node: JsonObject): Check[] => {
    const around: Around = {
      node,
      check: checkOf,
      matcher: pattern => matchers.of(pattern),
      follow: reference => targetOf(reference, names.find(reference, node)),
      followDynamic: (reference, scope) => targetOf(reference, names.findDynamic(reference, node, scope)),
    };
    // In draft-07 what stands beside a reference says nothing.
    const said: JsonObject = draft === '7' && '$ref' in node ? { $ref: node.$ref } : node;
    const parts: Check[] = [];
    for (const [keyword, make] of KEYWORDS) {
      const part = Object.hasOwn(said, keyword) ? make(said[keyword], around) : undefined;
      if (part) parts.push(part);
    }
    return parts;
  };
  return { check: checkOf(root), tracks, steps: bounds.steps };
}

function within(base: string, check: Check): Check {
  return (value, walk) => {
    walk.scope.push(base);
    const fits = check(value, walk);
    walk.scope.pop();
    return fits;
  };
}

/** Schemas may go round in circles: each is made ready when a value first comes to it. */
function lazily(make: () => Check[]): Check {
  let parts: Check[] | undefined;
  return (value, walk) => {
    walk.step();
    requireJson(value);
    parts ??= make();
    let fits = true;
    for (const part of parts) {
      if (part(value, walk)) continue;
      fits = false;
      if (!walk.all) break;
    }
    return fits;
  };
}

function requireJson(value: unknown): void {
  const type = typeof value;
  if (type !== 'object' && type !== 'string' && type !== 'number' && type !== 'boolean') throw new TypeError(type);
}

function readNames(root: JsonObject, draft: Draft, each: (node: JsonObject) => void): References {
  try {
    return new References(root, draft, each);
  } catch (error) {
    if (TenonError.is(error)) throw error;
    throw broken('its identifiers or references can not be read', error);
  }
}

/** The patterns of a schema, each read once. */
class Matchers {
  readonly #reach: Bounds['reach'];
  readonly #read = new Map<string, (text: string) => boolean>();
  #textLeft: number;

  constructor({ patternText, reach }: Bounds) {
    this.#textLeft = patternText;
    this.#reach = reach;
  }

  of(source: string): (text: string) => boolean {
    const known = this.#read.get(source);
    if (known !== undefined) return known;
    const pattern = unicodePattern(source);
    if (pattern === undefined) throw broken(`its pattern ${shorten(JSON.stringify(source))} is no regular expression`);
    const expression = new RegExp(pattern, 'u');
    this.#textLeft -= pattern.length;
    const longest = this.#textLeft < 0 ? 0 : this.#reach(pattern);
    const matches = (text: string) => {
      if (text.length <= longest || [...text].length <= longest) return expression.test(text);
      const shown = shorten(JSON.stringify(pattern));
      throw cannotJudge(`its pattern ${shown} could take too long on a string of this length`);
    };
    this.#read.set(source, matches);
    return matches;
  }

  /** All are read beforehand: one that is no pattern breaks the schema, whichever way a value takes through it. */
  read({ pattern, patternProperties }: JsonObject): void {
    for (const source of [pattern, ...Object.keys(isObject(patternProperties) ? patternProperties : {})]) {
      if (typeof source === 'string') this.of(source);
    }
  }
}

function broken(why: string, cause?: unknown): TenonError {
  return new TenonError('schema/broken', `this JSON Schema can not be used: ${why}`, {
    next: 'correct the schema; it is read by the rules of its "$schema", JSON Schema 2020-12 if it has none',
    ...(cause === undefined ? {} : { cause }),
  });
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}
