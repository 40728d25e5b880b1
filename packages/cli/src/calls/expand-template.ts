import { checkNames } from '../tools/check-names.js';
import { createUsageError } from '../usage-error.js';

/** Expression of a URI template with the name of its variables: `{id}`, `{+path}`, `{?a,b}`. */
const EXPRESSION = /\{([+#./;?&]?)([^{}]*)\}/g;

/** Lists the names of the variables of a URI template. */
export function listVariables(template: string): string[] {
  const lists = [...template.matchAll(EXPRESSION)].flatMap(([, , list = '']) => list.split(','));
  return [...new Set(lists.map(each => each.replace(/(?:\*|:\d+)$/, '')))];
}

/**
 * Replaces the variables of a URI template by values: `{name}` and `{+name}` of RFC 6570. Other expressions must be
 * replaced by the user. Returns a URI without variables unchanged.
 */
export async function expandTemplate(template: string, values: ReadonlyMap<string, string>): Promise<string> {
  const variables = listVariables(template);
  const properties = Object.fromEntries(variables.map(name => [name, {}]));
  await checkNames({ properties, required: variables, additionalProperties: false }, { names: [...values.keys()] });
  return template.replace(EXPRESSION, (expression, operator: string, name: string) => {
    const value = values.get(name);
    if (value !== undefined && operator === '') return encodeStrictly(value);
    if (value !== undefined && operator === '+') return encodeURI(value);
    if ((operator === '' || operator === '+') && variables.includes(name))
      throw createUsageError(`${template}: a value for ${expression} is missing`, `pass ${name}=VALUE`);
    throw createUsageError(
      `${template}: the command cannot expand ${expression}`,
      `replace ${expression} by its value`,
    );
  });
}

/** Encodes all reserved characters, also those that `encodeURIComponent` keeps. */
const encodeStrictly = (value: string): string =>
  encodeURIComponent(value).replace(/[!'()*]/g, each => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
