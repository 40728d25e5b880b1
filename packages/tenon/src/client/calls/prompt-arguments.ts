import { type JsonObject, TenonError } from '@tenon/base';

/** Encodes the arguments of a prompt as text. Throws `call/argument` for values that are not scalar. */
export function encodePromptArguments(name: string, input: JsonObject = {}): { [argument: string]: string } {
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([argument, value]) => [argument, encodeScalar(name, argument, value)]));
}

function encodeScalar(name: string, argument: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint' || Number.isFinite(value)) return String(value);
  throw new TenonError('call/argument', `invalid argument "${argument}" for prompt "${name}"`, {
    expected: 'a string, a finite number or a boolean',
    received: value === null ? 'null' : Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`,
    hint: 'pass the argument as a string in the format that the prompt documents',
  });
}
