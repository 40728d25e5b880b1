import { isObject } from '@tenon/base';
import { useState } from 'preact/hooks';
import type { Json } from '../api.js';
import { getMember, withMember } from '../json-values.js';
import { countFields, MAX_FORM_FIELDS } from '../schema/count-fields.js';
import { type Field, readField, resolveSchema, toTitle } from '../schema/field-schema.js';
import { createInitialValue, rateFit } from '../schema/initial-value.js';
import { FileInput, TextInput } from './inputs.js';
import { JsonEditor } from './json-editor.js';
import { Name, Text } from './text.js';

interface FieldProps {
  readonly schema: unknown;
  readonly root: Json;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** Id of the control, and name for those who hear the page. */
  readonly path: string;
}

/** Controls for a value of a JSON Schema. A value with too many fields is edited as JSON. */
export function SchemaForm(props: FieldProps) {
  const { schema, root, value, onChange, path } = props;
  if (countFields(schema, root, value, MAX_FORM_FIELDS) <= MAX_FORM_FIELDS) return <SchemaField {...props} />;
  return (
    <>
      <p class="issue">A form for this schema would have more than {MAX_FORM_FIELDS} fields. Edit the value as JSON.</p>
      <JsonEditor label={path} value={value} onChange={onChange} rows={8} />
    </>
  );
}

function SchemaField({ schema: given, root, value, onChange, path }: FieldProps) {
  const schema = resolveSchema(given, root);
  const field = readField(schema, root);
  const shared = { root, value, onChange, path };
  switch (field.kind) {
    case 'object':
      return <ObjectField {...shared} field={field} />;
    case 'array':
      return <ListField {...shared} items={field.items} />;
    case 'tuple':
      return <TupleField {...shared} field={field} />;
    case 'variants':
      return <VariantField {...shared} field={field} />;
    case 'enum':
      return <EnumField {...shared} field={field} />;
    case 'choices':
      return <ChoicesField {...shared} field={field} />;
    case 'boolean':
      return (
        <input
          id={path}
          type="checkbox"
          aria-label={path}
          checked={value === true}
          onChange={event => onChange(event.currentTarget.checked)}
        />
      );
    case 'const':
      return <span class="mono dim">{toTitle(field.value)}</span>;
    case 'null':
      return <span class="mono dim">null</span>;
    case 'file':
      return <FileInput {...shared} />;
    case 'json':
      return <JsonEditor label={path} value={value} onChange={onChange} rows={2} />;
    default:
      return <TextInput {...shared} field={field} schema={schema} />;
  }
}

type Kind<K extends Field['kind']> = { readonly field: Extract<Field, { kind: K }> } & Omit<FieldProps, 'schema'>;

function ObjectField({ field, root, value, onChange, path }: Kind<'object'>) {
  const known = new Set(field.properties.map(([name]) => name));
  const further = isObject(value) ? Object.keys(value).filter(name => !known.has(name)) : [];
  const [added, setAdded] = useState('');
  const change = (name: string) => (member: unknown) => onChange(withMember(value, name, member));
  const add = () => {
    if (added === '' || !field.further) return;
    onChange(withMember(value, added, createInitialValue(field.further, root) ?? ''));
    setAdded('');
  };
  return (
    <div class="fields">
      {field.properties.map(([name, schema]) => (
        <Member
          key={name}
          name={name}
          schema={schema}
          root={root}
          isRequired={field.required.has(name)}
          value={getMember(value, name)}
          onChange={change(name)}
          path={`${path}/${name}`}
        />
      ))}
      {further.map(name => (
        <Member
          key={name}
          name={name}
          schema={field.further ?? {}}
          root={root}
          isRequired={false}
          value={getMember(value, name)}
          onChange={change(name)}
          path={`${path}/${name}`}
        />
      ))}
      {field.further && (
        <div class="add">
          <input
            aria-label={`${path}: name of a new member`}
            placeholder="name of a member"
            value={added}
            onInput={event => setAdded(event.currentTarget.value)}
            onKeyDown={event => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              add();
            }}
          />
          <button type="button" onClick={add} disabled={added === ''}>
            Add
          </button>
        </div>
      )}
    </div>
  );
}

interface MemberProps extends FieldProps {
  readonly name: string;
  readonly isRequired: boolean;
}

/** A member with its name, type and description. An optional member is absent until it gets a value. */
function Member({ name, schema: given, root, isRequired, value, onChange, path }: MemberProps) {
  const schema = resolveSchema(given, root);
  const field = readField(schema, root);
  const isNested = ['object', 'array', 'tuple', 'variants', 'json', 'choices'].includes(field.kind);
  const isAbsent = value === undefined && !isRequired;
  const { description, title } = schema;
  return (
    <div class={isNested ? 'member nested' : 'member'}>
      <div class="name">
        <label for={path} class="mono">
          <Name value={name} />
          {isRequired && <span class="required">*</span>}
        </label>
        <span class="type">{describeType(field)}</span>
        {!isRequired && value !== undefined && (
          <button type="button" class="quiet" aria-label={`${path}: remove`} onClick={() => onChange(undefined)}>
            ×
          </button>
        )}
      </div>
      {isAbsent && isNested ? (
        <button type="button" class="quiet" onClick={() => onChange(createInitialValue(schema, root) ?? null)}>
          Add {name}
        </button>
      ) : (
        <SchemaField schema={schema} root={root} value={value} onChange={onChange} path={path} />
      )}
      {(typeof description === 'string' || typeof title === 'string') && (
        <div class="hint">
          <Text value={String(description ?? title)} />
        </div>
      )}
    </div>
  );
}

function describeType(field: Field): string {
  switch (field.kind) {
    case 'text':
      return field.format || 'string';
    case 'number':
      return field.isInteger ? 'integer' : 'number';
    case 'variants':
      return `one of ${field.variants.length}`;
    case 'json':
      return 'any';
    case 'choices':
      return 'some of';
    default:
      return field.kind;
  }
}

/** Names a control without a visible name for those who hear the page. */
const ItemLabel = ({ path }: { readonly path: string }) => (
  <label class="for-readers" for={path}>
    {path}
  </label>
);

function ListField({ items, root, value, onChange, path }: Omit<FieldProps, 'schema'> & { readonly items: Json }) {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <div class="items">
      {list.map((item, index) => (
        <div class="item" key={index}>
          <ItemLabel path={`${path}/${index}`} />
          <SchemaField
            schema={items}
            root={root}
            value={item}
            onChange={changed => onChange(list.with(index, changed ?? null))}
            path={`${path}/${index}`}
          />
          <button
            type="button"
            class="quiet"
            aria-label={`${path}/${index}: remove`}
            onClick={() => onChange(list.toSpliced(index, 1))}
          >
            ×
          </button>
        </div>
      ))}
      <button type="button" class="quiet" onClick={() => onChange([...list, createInitialValue(items, root) ?? ''])}>
        Add item
      </button>
    </div>
  );
}

function TupleField({ field, root, value, onChange, path }: Kind<'tuple'>) {
  const list: readonly unknown[] = Array.isArray(value) ? value : field.items.map(() => null);
  const { rest } = field;
  const schemas =
    list.length > field.items.length
      ? [...field.items, ...list.slice(field.items.length).map(() => rest ?? {})]
      : field.items;
  return (
    <div class="items">
      {schemas.map((schema, index) => (
        <div class="item position" key={index}>
          <ItemLabel path={`${path}/${index}`} />
          <span class="type" aria-hidden="true">
            {index} {describeType(readField(resolveSchema(schema, root), root))}
          </span>
          <SchemaField
            schema={schema}
            root={root}
            value={list[index] ?? undefined}
            onChange={changed =>
              onChange(schemas.map((_, at) => (at === index ? (changed ?? null) : (list[at] ?? null))))
            }
            path={`${path}/${index}`}
          />
        </div>
      ))}
      {rest && (
        <button type="button" class="quiet" onClick={() => onChange([...list, createInitialValue(rest, root) ?? null])}>
          Add item
        </button>
      )}
    </div>
  );
}

function VariantField({ field, root, value, onChange, path }: Kind<'variants'>) {
  const ratings = field.variants.map(({ schema }) => rateFit(value, schema, root));
  const best = value === undefined ? 0 : ratings.indexOf(Math.max(...ratings));
  const [picked, setPicked] = useState<number | undefined>(undefined);
  const index = picked !== undefined && (ratings[picked] ?? -1) >= 0 ? picked : best;
  const variant = field.variants[index];
  return (
    <div class="variant">
      <select
        id={path}
        aria-label={`${path}: variant`}
        value={index}
        onChange={event => {
          const next = Number(event.currentTarget.value);
          setPicked(next);
          onChange(createInitialValue(field.variants[next]?.schema, root) ?? '');
        }}
      >
        {field.variants.map(({ title }, at) => (
          <option key={title} value={at}>
            {title}
          </option>
        ))}
      </select>
      {variant && (
        <>
          <ItemLabel path={`${path}.`} />
          <SchemaField schema={variant.schema} root={root} value={value} onChange={onChange} path={`${path}.`} />
        </>
      )}
    </div>
  );
}

/** Compares values as JSON, because an enumeration may contain objects. */
const isSameValue = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function EnumField({ field, value, onChange, path }: Kind<'enum'>) {
  const index = field.options.findIndex(option => isSameValue(option.value, value));
  return (
    <select
      id={path}
      value={index}
      onChange={event => onChange(field.options[Number(event.currentTarget.value)]?.value)}
    >
      <option value={-1}>–</option>
      {field.options.map(({ title }, at) => (
        <option key={title} value={at}>
          {title}
        </option>
      ))}
    </select>
  );
}

function ChoicesField({ field, value, onChange, path }: Kind<'choices'>) {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <fieldset class="choices" aria-label={path}>
      {field.options.map(option => (
        <label key={option.title}>
          <input
            type="checkbox"
            checked={list.some(each => isSameValue(each, option.value))}
            onChange={event =>
              onChange(
                event.currentTarget.checked
                  ? [...list, option.value]
                  : list.filter(each => !isSameValue(each, option.value)),
              )
            }
          />{' '}
          <Text value={option.title} />
        </label>
      ))}
    </fieldset>
  );
}
