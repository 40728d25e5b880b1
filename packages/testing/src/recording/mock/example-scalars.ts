import type { JsonObject } from '@tenon/base';
import { createMatchingText } from './pattern-text.js';
import type { Random } from './random.js';

/** Texts in the formats of JSON Schema. */
const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2030-01-01T12:00:00Z',
  date: '2030-01-01',
  time: '12:00:00Z',
  duration: 'PT1H',
  email: 'user@example.com',
  'idn-email': 'user@example.com',
  hostname: 'example.com',
  'idn-hostname': 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  iri: 'https://example.com/',
  'uri-reference': '/example',
  'uri-template': '/example/{id}',
  uuid: '00000000-0000-4000-8000-000000000000',
  'json-pointer': '/example',
  regex: '^example$',
};
const WORDS = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel'];
const MAX_LENGTH = 10_000;
const DEFAULT_RANGE = 100;

export function createExampleText({ format, pattern, minLength, maxLength }: JsonObject, random: Random): string {
  const formatted = typeof format === 'string' && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  const word = WORDS[Math.floor(random() * WORDS.length)] ?? 'alpha';
  const min = typeof minLength === 'number' ? Math.min(minLength, MAX_LENGTH) : 0;
  const max = typeof maxLength === 'number' ? maxLength : MAX_LENGTH;
  // A pattern beside a format mostly describes the format.
  const matching = typeof pattern === 'string' ? createMatchingText(pattern, random, { min, max }) : undefined;
  return (formatted ?? matching ?? word).padEnd(min, 'x').slice(0, max);
}

export function createExampleNumber(schema: JsonObject, random: Random): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, type } = schema;
  const isWhole = type === 'integer' || (Array.isArray(type) && type.includes('integer'));
  const step = typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : isWhole ? 1 : 0.5;
  const low = readBound(minimum, exclusiveMinimum, step, Math.max);
  const high = readBound(maximum, exclusiveMaximum, -step, Math.min);
  const start = low ?? Math.min(0, high ?? 0);
  const end = Math.max(start, high ?? start + DEFAULT_RANGE);
  const first = Math.ceil(start / step);
  const last = Math.max(first, Math.floor(end / step));
  return (first + Math.floor(random() * (last - first + 1))) * step;
}

function readBound(
  inclusive: unknown,
  exclusive: unknown,
  step: number,
  select: (...values: number[]) => number,
): number | undefined {
  const bounds = [
    ...(typeof inclusive === 'number' ? [inclusive] : []),
    ...(typeof exclusive === 'number' ? [exclusive + step] : []),
  ];
  return bounds.length > 0 ? select(...bounds) : undefined;
}
