import { writeLineComment, writeLiteral, writeStringLiteral, writeTemplateText } from '@tenon/base/writers';
import type { Credential } from './list-credentials.js';
import type { Operation } from './list-operations.js';

export interface WriteServerOptions {
  readonly name: string;
  readonly version: string;
  readonly description: string | undefined;
  /** Base URL of the API. */
  readonly url: string;
  /** Environment variable that replaces the URL. */
  readonly urlVariable: string;
  readonly credentials: readonly Credential[];
  /** Location of the document, for the comment at the top. */
  readonly source: string;
}

/** Writes a server that calls an API, as the text of a TypeScript module. Equal operations give the same text. */
export function writeServer(operations: readonly Operation[], options: WriteServerOptions): string {
  const { name, version, description, url, urlVariable, credentials, source } = options;
  return `// Written by \`tenon import-openapi\` from ${writeLineComment(source)}. Change it as you like: remove tools, and shorten their texts and results.
import { type Context, createServer, type JsonObject, TenonError, tool, toolError } from 'tenon';
import { createApiFetch } from 'tenon/node';

const BASE_URL = process.env.${urlVariable} ?? ${writeStringLiteral(url)};
/** Maximum time of a request, in milliseconds. */
const TIMEOUT = 30_000;
/** Maximum length of a response, in characters. */
const MAX_RESPONSE = 100_000;
/** Sends credentials to the origin of the API only, also when the API redirects. */
const fetchApi = createApiFetch(BASE_URL, { timeout: TIMEOUT });

interface Operation {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly { property: string; name: string; in: string; joined?: true }[];
  readonly body?: { readonly property: string; readonly type: string };
  readonly input: JsonObject;
}

const operations: readonly Operation[] = ${writeOperations(operations)};

export const server = createServer({
  name: ${writeStringLiteral(name)},
  version: ${writeStringLiteral(version)},${description === undefined ? '' : `\n  description: ${writeStringLiteral(description)},`}
  tools: Object.fromEntries(operations.map(operation => [operation.name, createTool(operation)])),
});

${CREATE_TOOL}
${writeCall(credentials)}`;
}

const CREATE_TOOL = `function createTool(operation: Operation) {
  const { title, description, input, method } = operation;
  const isReadOnly = method === 'GET' || method === 'HEAD';
  return tool({
    ...(title === undefined ? {} : { title }),
    description,
    input,
    annotations: {
      readOnlyHint: isReadOnly,
      ...(isReadOnly ? {} : { destructiveHint: method !== 'POST', idempotentHint: method === 'PUT' || method === 'DELETE' }),
      openWorldHint: true,
    },
    run: (args, ctx) => callApi(operation, args as Readonly<Record<string, unknown>>, ctx),
  });
}
`;

/** Writes the function that calls the API. */
const writeCall = (
  credentials: readonly Credential[],
): string => `async function callApi({ method, path, parameters, body }: Operation, args: Readonly<Record<string, unknown>>, ctx: Context) {
  const headers = new Headers({ accept: 'application/json, text/*;q=0.8, */*;q=0.5' });
  const query = new URLSearchParams();
  const cookies: string[] = [];
  let filled = path;
  for (const { property, name, in: place, joined } of parameters) {
    const value = args[property];
    if (value === undefined) continue;
    const values = (Array.isArray(value) ? value : [value]).map(formatValue);
    if (place === 'path') filled = filled.replaceAll(\`{\${name}}\`, () => values.map(each => encodePath(name, each)).join(','));
    else if (place === 'header') headers.set(name, values.join(','));
    else if (place === 'cookie') cookies.push(\`\${name}=\${encodeURIComponent(values.join(','))}\`);
    else for (const each of joined ? [values.join(',')] : values) query.append(name, each);
  }
${writeCredentials(credentials)}  if (cookies.length > 0) headers.set('cookie', cookies.join('; '));
  const content = body === undefined ? undefined : args[body.property];
  if (body !== undefined && content !== undefined) headers.set('content-type', body.type);
  const url = \`\${BASE_URL.replace(/\\/+$/, '')}\${filled}\${query.size > 0 ? \`?\${query}\` : ''}\`;
  const request = {
    method,
    headers: Object.fromEntries(headers),
    ...(content === undefined ? {} : { body: formatBody(body?.type ?? '', content) }),
  };
  const response = await fetchApi(url, request, ctx.signal).catch(error => {
    const mayHaveRun = method === 'GET' || method === 'HEAD' ? '' : ' It may have executed the request: check the effect before you send it again.';
    const refused = TenonError.is(error) && ['auth/redirected', 'auth/unsafe-url', 'auth/too-large'].includes(error.code);
    throw toolError(\`\${refused ? \`The response of the API is refused: \${error.summary}.\` : 'The API does not answer.'}\${mayHaveRun}\`);
  });
  const text = await response.text();
  const shown = text.length > MAX_RESPONSE ? \`\${text.slice(0, MAX_RESPONSE)}… (\${text.length} characters in all)\` : text;
  if (!response.ok) throw toolError(\`The API answered with status \${response.status}. \${shown}\`.trim());
  return shown === '' ? \`done: status \${response.status}\` : shown;
}

${FORMAT_VALUES}`;

const FORMAT_VALUES = `/** A segment of dots would lead to another path. */
function encodePath(name: string, value: string): string {
  if (/^\\.*$/.test(value)) throw toolError(\`"\${name}": expected a value for the path, got \${JSON.stringify(value)}.\`);
  return encodeURIComponent(value);
}

const formatValue = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

function formatBody(type: string, content: unknown): string {
  if (type === 'application/x-www-form-urlencoded') {
    const fields = new URLSearchParams();
    for (const [name, value] of Object.entries(Object(content))) fields.append(name, formatValue(value));
    return fields.toString();
  }
  return /json/i.test(type) ? JSON.stringify(content) : formatValue(content);
}
`;

function writeOperations(operations: readonly Operation[]): string {
  const shown = operations.map(({ tags: _, ...operation }) => operation);
  return writeLiteral(shown, 2);
}

function writeCredentials(credentials: readonly Credential[]): string {
  const lines = credentials.map(({ kind, name, variable }) => {
    const value = `process.env.${variable}`;
    if (kind === 'bearer') return `if (${value}) headers.set('authorization', \`Bearer \${${value}}\`);`;
    if (kind === 'basic')
      return `if (${value}) headers.set('authorization', \`Basic \${Buffer.from(${value}).toString('base64')}\`);`;
    if (kind === 'header') return `if (${value}) headers.set(${writeStringLiteral(name)}, ${value});`;
    if (kind === 'query') return `if (${value}) query.append(${writeStringLiteral(name)}, ${value});`;
    return `if (${value}) cookies.push(\`${writeTemplateText(name)}=\${encodeURIComponent(${value})}\`);`;
  });
  return lines.map(line => `  ${line}\n`).join('');
}
