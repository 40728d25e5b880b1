import { isObject, isTextList, type JsonObject, toJsonObject } from '@tenon/base';
import type { FormValue } from 'tenon/host-internals';
import { isSecretField } from './secret-fields.js';
import { MAX_LABEL, type SafeText, sanitizeForView } from './view-warning.js';

/** Kind of input for a field. `unknown`: show a text input, because the type of the field is unknown. */
export type FieldKind =
  | 'text'
  | 'email'
  | 'uri'
  | 'date'
  | 'date-time'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'choice'
  | 'choices'
  | 'unknown';

/** Field of a form, as data for a user interface. All texts are safe to display. None of them may become a link. */
export interface FieldView {
  /** Name of the field in the result. Do not display it, because it may contain any character. */
  readonly name: string;
  readonly kind: FieldKind;
  readonly label: string;
  readonly description: string | undefined;
  readonly required: boolean;
  /** Initial value. `undefined` if there is none. */
  readonly value: FormValue | undefined;
  /** Options of a `choice` or `choices` field. */
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly limits: {
    readonly minLength?: number;
    readonly maxLength?: number;
    readonly minimum?: number;
    readonly maximum?: number;
    readonly minItems?: number;
    readonly maxItems?: number;
  };
  /** True if the field seems to request a secret, which is forbidden in forms. */
  readonly secret: boolean;
}

const MAX_DESCRIPTION = 1_000;
/** Maximum number of displayed options of one field. */
const MAX_OPTIONS = 500;

export function createFieldView(name: string, schema: unknown, required: boolean, safe: SafeText): FieldView {
  const field = toJsonObject(schema);
  const kind = getFieldKind(field);
  const label = sanitizeForView(field.title, safe, MAX_LABEL) || sanitizeForView(name, safe, MAX_LABEL);
  const secret = kind !== 'choice' && kind !== 'choices' && isSecretField({ ...field, name, label });
  const description = sanitizeForView(field.description, safe, MAX_DESCRIPTION);
  return {
    name,
    kind,
    label,
    description: description === '' ? undefined : description,
    required,
    value: secret ? undefined : getDefaultValue(field, kind),
    options: getOptions(field, kind, safe),
    limits: getLimits(field),
    secret,
  };
}

const TEXT_FORMATS = ['email', 'uri', 'date', 'date-time'] as const;

function getFieldKind(field: JsonObject): FieldKind {
  const { type, format } = field;
  switch (type) {
    case 'string':
      if (Array.isArray(field.enum) || Array.isArray(field.oneOf)) return 'choice';
      return TEXT_FORMATS.find(each => each === format) ?? 'text';
    case 'number':
    case 'integer':
    case 'boolean':
      return type;
    case 'array':
      return isObject(field.items) && getChoices(field.items).length > 0 ? 'choices' : 'unknown';
    default:
      return 'unknown';
  }
}

function getChoices(schema: JsonObject): { value: string; title: unknown }[] {
  const { enum: values, enumNames, oneOf, anyOf } = schema;
  const names = Array.isArray(enumNames) ? enumNames : [];
  if (Array.isArray(values))
    return values.flatMap((value, i) => (typeof value === 'string' ? [{ value, title: names[i] }] : []));
  const titled = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : [];
  return titled.flatMap(each =>
    isObject(each) && typeof each.const === 'string' ? [{ value: each.const, title: each.title }] : [],
  );
}

function getOptions(field: JsonObject, kind: FieldKind, safe: SafeText): FieldView['options'] {
  if (kind !== 'choice' && kind !== 'choices') return [];
  const choices = getChoices(kind === 'choices' && isObject(field.items) ? field.items : field);
  return choices.slice(0, MAX_OPTIONS).map(({ value, title }) => ({
    value,
    label: sanitizeForView(title, safe, MAX_LABEL) || sanitizeForView(value, safe, MAX_LABEL),
  }));
}

/** Returns the default value, or `undefined` if its type does not fit the field. */
function getDefaultValue({ default: value }: JsonObject, kind: FieldKind): FormValue | undefined {
  switch (kind) {
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'number':
    case 'integer':
      // A larger one may be another number than the server sent.
      return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : undefined;
    case 'choices':
      return isTextList(value) ? value : undefined;
    default:
      return typeof value === 'string' ? value : undefined;
  }
}

const LIMITS = ['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems'] as const;

function getLimits(field: JsonObject): FieldView['limits'] {
  return Object.fromEntries(LIMITS.flatMap(name => (typeof field[name] === 'number' ? [[name, field[name]]] : [])));
}
