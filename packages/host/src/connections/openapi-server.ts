import { checkAnything, checkObject, requireArgument } from '@tenon/base';
import type { OpenApiContent } from '@tenon/openapi';
import { createServer, type RequestHandler, TenonError } from 'tenon';
import type { OpenApiTarget } from '../host-options.js';

/** Opens the server of an OpenAPI document. Reports operations that cannot be served. */
export type OpenApiOpener = (target: OpenApiTarget, onError?: (error: TenonError) => void) => Promise<RequestHandler>;

/** Tells if the host itself serves a target. */
export const isOpenApi = (target: object): target is OpenApiTarget =>
  'transport' in target && target.transport === 'openapi';

/**
 * Creates a function that opens the server of an OpenAPI document for callers with different headers. The document is read
 * once, and again after an error. Few hosts have such a server, so its code is loaded on first use.
 */
export function createOpenApiOpener(): OpenApiOpener {
  let reading: Promise<OpenApiContent> | undefined;
  return async ({ url, headers, apiUrl, openapi = {} }, onError) => {
    const { readOperations, requireApiUrl, serveOperations } = await import('@tenon/openapi');
    const wasRead = reading !== undefined;
    const { auth, limits, ...choice } = openapi;
    reading ??= readOperations(String(url), { ...choice, ...(apiUrl === undefined ? {} : { baseUrl: apiUrl }) });
    const content = await reading.catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    const { name, version, description, operations, schemes, report } = content;
    const baseUrl = requireApiUrl(content.baseUrl, 'name the URL of the API in the entry of the server');
    const { leftOut, taken } = report;
    if (!wasRead && leftOut.length > 0)
      onError?.(
        new TenonError(
          'openapi/left-out',
          `${leftOut.length} of ${leftOut.length + taken.length} operations of the document are left out: ${leftOut
            .slice(0, 3)
            .map(each => `${each.operation} (${each.reason})`)
            .join(', ')}`,
          { hint: 'run `tenon import-openapi --json` with the document, which names all of them' },
        ),
      );
    const { tools, resources } = serveOperations(operations, { baseUrl, schemes, auth, limits, headers });
    return createServer({ name, version, ...(description === undefined ? {} : { description }), tools, resources });
  };
}

/** Opens the server of an OpenAPI document, as the host does. */
export const openApiServer: OpenApiOpener = async (target, onError) => {
  requireArgument(
    'the target of openApiServer',
    target,
    checkObject({ url: checkAnything, 'openapi?': checkObject() }),
  );
  return createOpenApiOpener()(target, onError);
};
