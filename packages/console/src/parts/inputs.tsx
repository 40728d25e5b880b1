import { findInexactInteger } from '@tenon/base';
import { useEffect, useState } from 'preact/hooks';
import type { Json } from '../api.js';
import { describeInexact } from '../json-values.js';
import type { Field } from '../schema/field-schema.js';
import { HiddenNote } from './text.js';

interface InputProps {
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly path: string;
}

/** Input for a text or a number. A number that is not complete yet, or that cannot be sent exactly, stays a text. */
export function TextInput({
  value,
  onChange,
  path,
  field,
  schema,
}: InputProps & { readonly field: Extract<Field, { kind: 'text' | 'number' }>; readonly schema: Json }) {
  const isNumber = field.kind === 'number';
  const shown = value === undefined || value === null ? '' : String(value);
  const [typed, setTyped] = useState(shown);
  useEffect(() => {
    if (!isNumber || Number(typed) !== value) setTyped(shown);
  }, [shown]);
  const change = (text: string) => {
    setTyped(text);
    if (!isNumber) return onChange(text);
    const number = text.trim() === '' ? undefined : Number(text);
    const isWrong = number !== undefined && (Number.isNaN(number) || findInexactInteger(text) !== undefined);
    onChange(isWrong ? text : number);
  };
  const placeholder =
    'default' in schema ? String(schema.default) : Array.isArray(schema.examples) ? String(schema.examples[0]) : '';
  const shared = { id: path, placeholder, spellcheck: false, value: isNumber ? typed : shown };
  if (field.kind === 'text' && (field.isLong || shown.includes('\n')))
    return (
      <>
        <textarea
          {...shared}
          rows={Math.min(12, Math.max(3, shown.split('\n').length))}
          onInput={event => change(event.currentTarget.value)}
        />
        <HiddenNote value={shown} />
      </>
    );
  const onInput = (event: { readonly currentTarget: HTMLInputElement }) => change(event.currentTarget.value);
  const format = isNumber ? '' : field.format;
  const inexact = isNumber ? findInexactInteger(typed) : undefined;
  if (format === 'password') return <input {...shared} type="password" autocomplete="off" onInput={onInput} />;
  if (format === 'date') return <input {...shared} type="date" onInput={onInput} />;
  // The checks of a browser for addresses would keep the user from sending others.
  const inputMode = isNumber ? 'decimal' : format === 'email' ? 'email' : format === 'uri' ? 'url' : 'text';
  return (
    <>
      <input {...shared} type="text" inputMode={inputMode} autocomplete="off" onInput={onInput} />
      <HiddenNote value={shown} />
      {inexact !== undefined && <div class="issue">{describeInexact(inexact)}</div>}
    </>
  );
}

/** Input for the content of a file, as base64. */
export function FileInput({ value, onChange, path }: InputProps) {
  const read = async (file: File | undefined) => {
    if (!file) return;
    const bytes = new Uint8Array(await file.arrayBuffer());
    let binary = '';
    for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
    onChange(btoa(binary));
  };
  return (
    <div>
      <input id={path} type="file" onChange={event => void read(event.currentTarget.files?.[0])} />
      {typeof value === 'string' && <div class="hint">{value.length} characters of base64</div>}
    </div>
  );
}
