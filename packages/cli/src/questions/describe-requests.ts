import { toJsonObject } from '@tenon/base';
import { quoteForShell } from '@tenon/base/writers';
import type { JsonObject } from 'tenon';
import { formatParameters, listParameters } from '../tools/type-text.js';

/** Input request of a server, as `--json` prints it. */
export interface DescribedRequest {
  readonly key: string;
  /** Kind of the request: `form`, `url`, or the method of another request. */
  readonly kind: string;
  readonly message: string;
  /** URL of the page to open. Absent for other kinds. */
  readonly url?: string;
  /** JSON Schema of the form. Absent for other kinds. */
  readonly schema?: unknown;
}

/** Lists the input requests of a server. */
export function describeRequests(inputRequests: JsonObject): DescribedRequest[] {
  return Object.entries(inputRequests).map(([key, request]) => {
    const { method, params } = toJsonObject(request);
    const { mode = 'form', message = '', url, requestedSchema } = toJsonObject(params);
    if (method !== 'elicitation/create') return { key, kind: String(method), message: '' };
    return {
      key,
      kind: String(mode),
      message: String(message),
      ...(url === undefined ? {} : { url: String(url) }),
      ...(requestedSchema === undefined ? {} : { schema: requestedSchema }),
    };
  });
}

/** Maximum number of optional fields in the text of a command line. */
const MAX_OPTIONAL = 3;

/** Command line that answers the requests of a server. */
export interface AnswerCommand {
  /** Command with the required fields, which can be run once its values are replaced. */
  readonly command: string;
  /** The same for people, with some optional fields in brackets. */
  readonly text: string;
}

/**
 * Formats the command line that answers the requests. With several forms, the name of a field begins with the key of
 * its form. The server chooses keys and names, so they are quoted for the shell. Names that would be read as an option,
 * or that have invisible characters, are omitted.
 */
export function formatAnswerCommand(id: string, requests: readonly DescribedRequest[]): AnswerCommand {
  const forms = requests.filter(({ kind }) => kind === 'form');
  const fields = forms
    .flatMap(({ key, schema }) => {
      const prefix = forms.length > 1 ? `${key}.` : '';
      return listParameters(schema).map(({ name, required }) => ({ name: `${prefix}${name}`, required }));
    })
    .filter(({ name }) => !/^-|[\p{C}\p{Zl}\p{Zp}]/u.test(name))
    .map(({ name, required }) => ({ word: `${quoteForShell(name)}=VALUE`, required }));
  const accept = requests.some(({ kind }) => kind === 'url') ? ['--accept'] : [];
  const needed = fields.filter(({ required }) => required).map(({ word }) => word);
  const optional = fields.filter(({ required }) => !required).map(({ word }) => word);
  const shown = optional.slice(0, MAX_OPTIONAL);
  const more = optional.length > shown.length ? ['…'] : [];
  const begin = ['tenon answer', id];
  return {
    // Without a field, the command would only list the fields.
    command: [...begin, ...(needed.length > 0 ? needed : shown), ...accept].join(' '),
    text: [...begin, ...needed, ...accept, ...shown.map(word => `[${word}]`), ...more].join(' '),
  };
}

/** Formats the requests for the user. Contains texts of the server, whose lines are indented: none looks like a line of the command. */
export function formatRequests(requests: readonly DescribedRequest[]): string {
  return requests
    .map(({ message, url, schema }) => {
      const titles = listParameters(schema).map(each => listTitles(each.schema));
      const fields = formatParameters(schema).map((text, index) => `    ${text}${formatTitles(titles[index] ?? [])}`);
      const lines = [`  ${message}`, ...(url === undefined ? [] : [`    ${url}`]), ...fields];
      return lines.map(line => line.replaceAll('\n', '\n    ')).join('\n');
    })
    .join('\n');
}

const formatTitles = (titles: readonly string[]): string => (titles.length === 0 ? '' : ` (${titles.join(', ')})`);

/** Lists the titles of the choices of a field: `s: size S`. */
function listTitles(schema: JsonObject): string[] {
  const { enum: values, enumNames: names, oneOf, anyOf, items } = schema;
  if (Array.isArray(values) && Array.isArray(names))
    return values.slice(0, names.length).map((value, index) => `${value}: ${names[index]}`);
  const choices = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : [];
  const titles = choices.flatMap(choice => {
    const { const: value, title } = toJsonObject(choice);
    return typeof title === 'string' && title !== value ? [`${value}: ${title}`] : [];
  });
  return titles.length > 0 || items === undefined ? titles : listTitles(toJsonObject(items));
}
