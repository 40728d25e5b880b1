import { encodePathPart } from '@tenon/base';
import type { ErrorView, TokenHeader } from './api.js';
import { takeToken } from './session.js';

const TOKEN_HEADER: TokenHeader = 'x-tenon-token';
const token = takeToken();

/** True if the page was opened with the address that the command printed. */
export const hasToken = token !== '';

/** An error that the command reported. */
class ApiError extends Error {
  readonly view: ErrorView;

  constructor(view: ErrorView) {
    super(view.cause);
    this.view = view;
  }
}

/** Reports a lost connection. The texts of browsers, such as "Failed to fetch", do not name the command. */
function throwUnreachable(): never {
  throw new ApiError({
    code: 'console/unreachable',
    cause: 'The command has ended, or cannot be reached',
    fix: 'start it again, and open the address that it prints',
  });
}

async function send(method: string, path: string, body?: unknown): Promise<Response> {
  const response = await fetch(`/api/${path}`, {
    method,
    headers: {
      [TOKEN_HEADER]: token,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(throwUnreachable);
  if (response.ok) return response;
  const failed: { readonly error?: ErrorView } = await response.json().catch(() => ({}));
  throw new ApiError(failed.error ?? { code: `http/${response.status}`, cause: `HTTP ${response.status}` });
}

/** Sends a request to the command, and returns its response. The types of both are in `api.ts`. */
export async function callApi<T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<T> {
  const response = await send(method, path, method === 'POST' ? (body ?? {}) : undefined);
  return response.json();
}

/** Address of a server, or of a part of it, in the API. */
export const toServerApi = (server: string, part?: string): string =>
  `servers/${encodePathPart(server)}${part === undefined ? '' : `/${part}`}`;

/** Reads a response as a text, for those whose long numbers must keep all their digits. */
export async function readText(path: string): Promise<string> {
  return (await send('GET', path)).text();
}

/** Reads lines of JSON until the stream ends, which is an error. */
export async function readLines(path: string, onLine: (line: string) => void): Promise<void> {
  const response = await send('GET', path);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  while (reader) {
    const { done, value } = await reader.read().catch(throwUnreachable);
    if (done) throwUnreachable();
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  }
}

/** Writes an error and its next step as sentences. */
export const formatError = ({ cause, fix = '' }: ErrorView): string =>
  fix === '' ? cause : `${cause}${/[.!?…:]$/.test(cause) ? '' : '.'} ${fix.charAt(0).toUpperCase()}${fix.slice(1)}`;

/** Describes an error of a request for the user. */
export function describeFailure(thrown: unknown): ErrorView {
  if (thrown instanceof ApiError) return thrown.view;
  return { code: 'console/unreachable', cause: thrown instanceof Error ? thrown.message : String(thrown) };
}
