import type { JsonObject } from 'tenon';
import { formatParameter, listParameters } from '../tools/type-text.js';

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
    const { method, params } = toObject(request);
    const { mode = 'form', message = '', url, requestedSchema } = toObject(params);
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

/**
 * Formats the command line that answers the requests. With several forms, the name of a field begins with the key of
 * its form.
 */
export function formatAnswerCommand(id: string, requests: readonly DescribedRequest[]): string {
  const forms = requests.filter(({ kind }) => kind === 'form');
  const fields = forms.flatMap(({ key, schema }) => {
    const prefix = forms.length > 1 ? `${key}.` : '';
    return listParameters(schema).map(({ name }) => `${prefix}${name}=VALUE`);
  });
  const accept = requests.some(({ kind }) => kind === 'url') ? ['--accept'] : [];
  return ['tenon answer', id, ...fields, ...accept].join(' ');
}

/** Formats the requests for the user. Contains texts of the server. */
export function formatRequests(requests: readonly DescribedRequest[]): string {
  return requests
    .map(({ message, url, schema }) => {
      const fields = listParameters(schema).map(each => `    ${formatParameter(each, schema)}`);
      return [`  ${message}`, ...(url === undefined ? [] : [`    ${url}`]), ...fields].join('\n');
    })
    .join('\n');
}

function toObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}
