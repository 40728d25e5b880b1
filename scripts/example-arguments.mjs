// @ts-check
/** Arguments for calls of published servers. */

/** @typedef {{ [keyword: string]: any }} Schema */

/** Returns a value that fits a schema in most cases. @param {Schema | undefined} schema @returns {unknown} */
function createExample(schema) {
  if (typeof schema !== 'object') return 'a';
  const { anyOf, const: only, default: usual, enum: choices, format, items, minimum = 1, minItems, type } = schema;
  const given = usual ?? only ?? choices?.[0];
  if (given !== undefined) return given;
  if (anyOf !== undefined) return createExample(anyOf[0]);
  switch (Array.isArray(type) ? type[0] : type) {
    case 'number':
    case 'integer':
      return Math.max(1, minimum);
    case 'boolean':
      return true;
    case 'array':
      return minItems > 0 ? [createExample(items)] : [];
    case 'object':
      return createArguments(schema);
    default:
      return format === 'uri' ? 'http://127.0.0.1:9/' : 'a';
  }
}

/** @param {Schema} schema */
export function createArguments({ anyOf = [{}], oneOf = anyOf, properties = {}, required = oneOf[0].required ?? [] }) {
  return Object.fromEntries(required.map((/** @type {string} */ name) => [name, createExample(properties[name])]));
}
