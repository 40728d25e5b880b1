import type { JsonObject } from '../jsonrpc/message.js';
import type { About, Reshape } from './dialect.js';

/** How to speak with a peer that has not read one sentence of a revision's changelog: the one that stands above it. */
export interface Change {
  /** Our words to theirs. */
  readonly down?: Words;
  /** Their words to ours. */
  readonly up?: Words;
}

/** Reshapes by what they touch: a part wherever it stands, or the whole params or result of a method (`*`: of all). */
export interface Words {
  readonly parts?: { readonly [P in Part]?: Reshape };
  readonly params?: { readonly [method: string]: Reshape };
  readonly result?: { readonly [method: string]: Reshape };
}

export type Part =
  | 'content'
  | 'tool'
  | 'resource'
  | 'template'
  | 'prompt'
  | 'root'
  | 'sampled'
  | 'implementation'
  | 'clientCapabilities'
  | 'serverCapabilities';

interface Place {
  readonly part: Part;
  /** `[]` steps into each element of an array; a value that is not an array is stepped into itself. */
  readonly at: readonly string[];
}

const place = (part: Part, path: string): Place => ({ part, at: path.split(/\.|(?=\[\])/) });

/** Where the parts stand. */
const places: { readonly [side in 'params' | 'result']: { readonly [method: string]: readonly Place[] } } = {
  params: {
    initialize: [place('implementation', 'clientInfo'), place('clientCapabilities', 'capabilities')],
    'sampling/createMessage': [place('sampled', 'messages[].content[]'), place('tool', 'tools[]')],
  },
  result: {
    initialize: [place('implementation', 'serverInfo'), place('serverCapabilities', 'capabilities')],
    'server/discover': [place('serverCapabilities', 'capabilities')],
    'tools/list': [place('tool', 'tools[]')],
    'tools/call': [place('content', 'content[]')],
    'resources/list': [place('resource', 'resources[]')],
    'resources/templates/list': [place('template', 'resourceTemplates[]')],
    'prompts/list': [place('prompt', 'prompts[]')],
    'prompts/get': [place('content', 'messages[].content')],
    'sampling/createMessage': [place('sampled', 'content[]')],
    'roots/list': [place('root', 'roots[]')],
  },
};

/** Methods that are answered in the words of another. */
const answeredAs: ReadonlyMap<string, string> = new Map([['tasks/result', 'tools/call']]);

function wordOf(side: 'params' | 'result', method: string): string {
  return side === 'params' ? method : (answeredAs.get(method) ?? method);
}

/** Folds the words of several changes into one reshape of one method's params or result; none when nothing is said of it. */
export function fold(words: readonly Words[], side: 'params' | 'result', method: string): Reshape | undefined {
  const steps = words.flatMap(each => stepsOf(each, side, wordOf(side, method)));
  if (steps.length === 0) return undefined;
  return (value, about) => steps.reduce((shaped, step) => step(shaped, about), value);
}

/** Whether a method's params or result are reshaped, other than as those of all methods are. */
export function touches(words: Words, side: 'params' | 'result', method: string): boolean {
  const word = wordOf(side, method);
  return Object.hasOwn(places[side], word) || Object.hasOwn(words[side] ?? {}, word);
}

function stepsOf(words: Words, side: 'params' | 'result', method: string): Reshape[] {
  const steps: Reshape[] = [];
  for (const { part, at } of places[side][method] ?? []) {
    const reshape = words.parts?.[part];
    if (reshape) steps.push((value, about) => mapAt(value, at, reshape, about) as JsonObject);
  }
  const whole = [words[side]?.['*'], words[side]?.[method]];
  return [...steps, ...whole.filter(step => step !== undefined)];
}

/** Reshapes what stands at a path, from its step `from` on. */
function mapAt(value: unknown, at: readonly string[], reshape: Reshape, about: About, from = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const step = at[from];
  if (step === undefined) return reshape(value as JsonObject, about);
  if (step === '[]') {
    if (!Array.isArray(value)) return mapAt(value, at, reshape, about, from + 1);
    return value.map(item => mapAt(item, at, reshape, about, from + 1));
  }
  const inner = (value as JsonObject)[step];
  return inner === undefined ? value : { ...value, [step]: mapAt(inner, at, reshape, about, from + 1) };
}

/** A reshape that leaves members out. Returns the same object when there is nothing to leave out. */
export function without(...names: readonly string[]): Reshape {
  return value => (names.some(name => name in value) ? copyWithout(value, names) : value);
}

/** Not by `delete`, which makes objects that are slow for all who read them. */
export function copyWithout(value: JsonObject, names: readonly string[]): JsonObject {
  const kept: JsonObject = {};
  for (const name of Object.keys(value)) {
    if (names.includes(name)) continue;
    // What a peer calls so is a member like any other.
    if (name === '__proto__') Object.defineProperty(kept, name, { value: value[name], ...PLAIN });
    else kept[name] = value[name];
  }
  return kept;
}

const PLAIN = { enumerable: true, writable: true, configurable: true };

/** A reshape that applies another to a member, when it is an object. */
export function within(name: string, reshape: Reshape): Reshape {
  return (value, about) => mapAt(value, [name], reshape, about) as JsonObject;
}

/** A reshape that applies another to each element of a member. */
export function each(name: string, reshape: Reshape): Reshape {
  return (value, about) => mapAt(value, [name, '[]'], reshape, about) as JsonObject;
}

/** One reshape after another. */
export function chain(...reshapes: readonly Reshape[]): Reshape {
  return (value, about) => reshapes.reduce((shaped, reshape) => reshape(shaped, about), value);
}
