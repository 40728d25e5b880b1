import { hasSecretPhrase, isSecretLabel } from '@tenon/base';
import type { ViewWarning } from './view-warning.js';

/** Part of a sentence that requests input: "please enter …". */
const REQUEST = /\b(?:enter|provide|give|paste|type|supply|send|share|need|input|tell)\b[^.!?]{0,200}/gi;

/** Name, title and format of a field. */
export interface FieldDescription {
  readonly name: string;
  /** Name as the form displays it, without invisible characters. */
  readonly label?: string;
  readonly type?: unknown;
  readonly title?: unknown;
  readonly format?: unknown;
}

/** Tells if a field requests a secret, from its name, its title, or a format that hides the input. */
export function isSecretField({ name, label, type, title, format }: FieldDescription): boolean {
  if (format === 'password') return true;
  if (type === 'boolean') return false;
  const kind = type === 'number' || type === 'integer' ? 'number' : 'text';
  return [name, label, title].some(text => typeof text === 'string' && isSecretLabel(text, kind));
}

/** Tells if the message of a form requests a secret. */
export function doesMessageAskForSecret(message: string): boolean {
  return (message.slice(0, 10_000).match(REQUEST) ?? []).some(hasSecretPhrase);
}

export function createSecretWarning(server: string, field?: string): ViewWarning {
  const text = `${server} seems to ask for a secret. Servers must not ask for passwords, keys or payment data in a form: what you enter passes through this program, and may be seen by a model.`;
  return { code: 'asks-for-secret', text, ...(field === undefined ? {} : { field }) };
}
