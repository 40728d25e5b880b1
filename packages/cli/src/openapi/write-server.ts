import { writeLineComment, writeLiteral, writeStringLiteral } from '@tenon/base/writers';
import type { ApiOperation, SecurityScheme } from '@tenon/openapi';
import type { CredentialVariable } from './list-credentials.js';

export interface WriteServerOptions {
  readonly name: string;
  readonly version: string;
  readonly description: string | undefined;
  /** Base URL of the API. */
  readonly url: string;
  /** Environment variable that replaces the URL. */
  readonly urlVariable: string;
  readonly schemes: readonly SecurityScheme[];
  readonly credentials: readonly CredentialVariable[];
  /** Location of the document, for the comment at the top. */
  readonly source: string;
}

/** Writes a server that calls an API, as the text of a TypeScript module. Equal operations give the same text. */
export function writeServer(operations: readonly ApiOperation[], options: WriteServerOptions): string {
  const { name, version, description, url, urlVariable, schemes, credentials, source } = options;
  const auth = credentials.map(
    ({ scheme, variable }) => `    [${writeStringLiteral(scheme)}]: process.env.${variable},\n`,
  );
  return `// Written by \`tenon import-openapi\` from ${writeLineComment(source)}. Change it as you like: remove tools, and shorten their texts.
import { type ApiOperation, type SecurityScheme, serveOperations } from '@tenon/openapi';
import { createServer } from 'tenon';

const operations: readonly ApiOperation[] = ${writeLiteral(operations, 2)};

/** The API accepts these credentials. */
const schemes: readonly SecurityScheme[] = ${writeLiteral(schemes, 2)};

/** Credentials go to the origin of the API only, also when it redirects. */
const { tools, resources } = serveOperations(operations, {
  baseUrl: process.env.${urlVariable} ?? ${writeStringLiteral(url)},
  schemes,
  auth: {${auth.length > 0 ? `\n${auth.join('')}  ` : ''}},
  limits: { timeout: 30_000, maxTextLength: 100_000 },
});

export const server = createServer({
  name: ${writeStringLiteral(name)},
  version: ${writeStringLiteral(version)},${description === undefined ? '' : `\n  description: ${writeStringLiteral(description)},`}
  tools,
  resources,
});
`;
}
