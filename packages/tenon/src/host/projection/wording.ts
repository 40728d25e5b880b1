import type { JsonObject } from '../../jsonrpc/message.js';

/** Characters that are added to a description for what the schema cannot say any more. */
const MAX_ADDED = 400;
const SAID = new Set(
  'type properties required items prefixItems anyOf oneOf enum const description title default examples'.split(' '),
);
const UNSAYABLE = new Set(
  'not if then else contains dependentSchemas unevaluatedProperties unevaluatedItems'.split(' '),
);

/** Puts sentences after a description. */
export function add(description: unknown, sentences: readonly string[]): string | undefined {
  const said = typeof description === 'string' ? description.trim() : '';
  const added = sentences.filter(each => each !== '').join(' ');
  const text = [said, added.length > MAX_ADDED ? `${added.slice(0, MAX_ADDED - 1)}…` : added];
  return text.filter(each => each !== '').join(' ') || undefined;
}

/** The description of a part, with its default and what else its schema said and cannot say to this provider. */
export function addKeywordNotes(node: JsonObject, kept: readonly string[], more: readonly string[] = []): JsonObject {
  const lost = Object.entries(node).filter(([keyword]) => !SAID.has(keyword) && !kept.includes(keyword));
  const told = lost.filter(([keyword]) => !UNSAYABLE.has(keyword)).flatMap(inWords);
  const sentences = [
    'default' in node ? `Default: ${shorten(node.default)}.` : '',
    told.length > 0 ? `Also: ${told.join(', ')}.` : '',
    lost.some(([keyword]) => UNSAYABLE.has(keyword)) ? 'The server checks further conditions.' : '',
    ...more,
  ];
  const description = add(node.description ?? node.title, sentences);
  return description === undefined ? {} : { description };
}

function inWords([keyword, value]: [string, unknown]): string[] {
  if (keyword === 'additionalProperties')
    return value === false ? [] : ['further properties, which cannot be given here'];
  if (keyword === 'patternProperties') return ['further properties by pattern, which cannot be given here'];
  return [`${keyword} ${shorten(value)}`];
}

/** A value as short JSON. */
export function shorten(value: unknown, length = 120): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** Whether an alternative says no more than which properties must be there. */
export function hasOnlyRequired(branch: JsonObject): boolean {
  const keywords = Object.keys(branch).filter(keyword => keyword !== 'title' && keyword !== 'description');
  return keywords.every(keyword => keyword === 'required' || (keyword === 'type' && branch.type === 'object'));
}

/** Says in words which properties must be there, when each alternative says only that. */
export function describeRequirement(branches: readonly JsonObject[], exactlyOne: boolean): string {
  const names = branches.map(({ required }) => [required ?? []].flat().join(' and ') || 'none');
  return `Give ${exactlyOne ? 'exactly' : 'at least'} one of: ${names.join('; ')}.`;
}
