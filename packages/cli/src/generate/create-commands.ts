import { chooseName, toJsonObject } from '@tenon/base';
import { sanitizeText } from '@tenon/host';
import type { JsonObject, Tool } from 'tenon';
import { formatType, listParameters, type Parameter, resolveReference } from '../tools/type-text.js';

/** Sub-command for one tool. */
export interface GeneratedCommand {
  readonly name: string;
  readonly tool: string;
  readonly description: string;
  readonly options: readonly GeneratedOption[];
}

/** Option for one argument of a tool. */
export interface GeneratedOption {
  readonly name: string;
  readonly property: string;
  /** Type of the value, or of each value of a list. `json` for everything that has no form of its own. */
  readonly type: OptionType;
  readonly list?: true;
  readonly required?: true;
  readonly choices?: readonly (string | number)[];
  readonly description: string;
}

type OptionType = 'string' | 'number' | 'integer' | 'boolean' | 'json';

const MAX_NAME = 64;
const MAX_DESCRIPTION = 1000;
const MAX_CHOICES = 100;
/** Names that the generated program uses itself. */
const COMMAND_NAMES = ['help', 'version'];
const OPTION_NAMES = ['help', 'version', 'json', 'input'];
const SCALARS: readonly unknown[] = ['string', 'number', 'integer', 'boolean'];

/** Creates a sub-command for each tool, in the order of their names. */
export function createGeneratedCommands(tools: readonly Tool[]): GeneratedCommand[] {
  const names = new UniqueNames('tool', COMMAND_NAMES);
  return [...tools]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, title, description, inputSchema }) => ({
      name: names.create(name),
      tool: name,
      description: sanitize(description ?? title ?? ''),
      options: createOptions(inputSchema),
    }));
}

function createOptions(schema: JsonObject): GeneratedOption[] {
  const names = new UniqueNames('arg', OPTION_NAMES);
  return listParameters(schema).map(parameter => createOption(parameter, schema, names));
}

function createOption({ name, required, schema }: Parameter, root: unknown, names: UniqueNames): GeneratedOption {
  const { description, title } = schema;
  const items = findType(schema) === 'array' ? toJsonObject(resolveReference(schema.items, root)) : undefined;
  const type = findType(items ?? schema);
  const scalar = isScalar(type) ? type : 'json';
  const choices = scalar === 'json' ? undefined : listChoices(items ?? schema);
  const text = typeof description === 'string' ? description : typeof title === 'string' ? title : '';
  return {
    name: names.create(name),
    property: name,
    type: scalar,
    ...(items !== undefined && scalar !== 'json' ? { list: true } : {}),
    ...(required ? { required } : {}),
    ...(choices === undefined ? {} : { choices }),
    // A type that is written as JSON is shown, because the reader cannot guess it.
    description: sanitize(scalar === 'json' ? [text, formatType(schema, root)].filter(Boolean).join('. JSON: ') : text),
  };
}

/** Returns the only type that a schema allows beside `null`. */
function findType(schema: JsonObject): unknown {
  const { type, enum: values } = schema;
  if (['$ref', 'anyOf', 'oneOf', 'allOf', 'const'].some(key => key in schema)) return undefined;
  if (Array.isArray(type)) {
    const others = type.filter(each => each !== 'null');
    return others.length === 1 ? others[0] : undefined;
  }
  if (type !== undefined || !Array.isArray(values)) return type;
  return values.every(each => typeof each === 'string') ? 'string' : undefined;
}

const isScalar = (type: unknown): type is Exclude<OptionType, 'json'> => SCALARS.includes(type);

function listChoices({ enum: values }: JsonObject): (string | number)[] | undefined {
  if (!Array.isArray(values) || values.length > MAX_CHOICES) return undefined;
  const choices = values.filter(each => typeof each === 'string' || typeof each === 'number');
  return choices.length === values.length ? choices : undefined;
}

const sanitize = (text: string): string => sanitizeText(text, { max: MAX_DESCRIPTION });

/** Gives each text a name in kebab-case that no other has. */
class UniqueNames {
  readonly #prefix: string;
  readonly #reserved: readonly string[];
  readonly #used = new Set<string>();

  constructor(prefix: string, reserved: readonly string[]) {
    this.#prefix = prefix;
    this.#reserved = reserved;
  }

  create(text: string): string {
    const kebab = toKebabCase(text);
    const first = /^[a-z]/.test(kebab) ? kebab : [this.#prefix, kebab].filter(Boolean).join('-');
    // `--no-NAME` sets a boolean option to false.
    const base = this.#reserved.includes(first) || first.startsWith('no-') ? `${this.#prefix}-${first}` : first;
    const name = chooseName(base, '-', used => this.#used.has(used));
    this.#used.add(name);
    return name;
  }
}

/** Returns a text in kebab-case, with letters and digits of ASCII only. May be empty. */
export function toKebabCase(text: string): string {
  const words = text.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').match(/[A-Za-z0-9]+/g) ?? [];
  return words.join('-').toLowerCase().slice(0, MAX_NAME).replace(/-$/, '');
}
