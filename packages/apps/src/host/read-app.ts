import { AppError, REFUSED } from '../channel/app-error.js';
import { readCsp } from '../channel/csp.js';
import { isText, requireAmounts, requireArgument, requireKnownOptions } from '../channel/known-options.js';
import { isObject, type JsonObject } from '../channel/messages.js';
import { UI_MIME_TYPE } from '../channel/ui-meta.js';
import type { AppCsp, AppPermissions } from '../channel/ui-types.js';
import type { AppServer } from './app-server.js';

/** The page of an app, as its server returned it. */
export interface AppResource {
  /** URI of the page. */
  readonly uri: string;
  /** Its HTML. */
  readonly html: string;
  /** Declared origins. Entries that are not origins are left out. */
  readonly csp: AppCsp;
  /** Requested permissions. */
  readonly permissions: AppPermissions;
  /** Tells if the app wants a visible border. Undefined if the host may choose. */
  readonly prefersBorder: boolean | undefined;
  /** Origin that the app wants, in the form of the host. Undefined if it wants none. */
  readonly domain: string | undefined;
}

/** Options of `readApp`. */
export interface ReadAppOptions {
  /**
   * Maximum length of the HTML.
   * @default 8,388,608 characters
   */
  readonly maxHtmlLength?: number | undefined;
  /**
   * Cancels the request.
   * @default none
   */
  readonly signal?: AbortSignal | undefined;
  /** Called for each part of the metadata that is left out because it is invalid. */
  readonly onProblem?: ((problem: string) => void) | undefined;
}

const PERMISSIONS = ['camera', 'microphone', 'geolocation', 'clipboardWrite'] as const;
const MAX_HTML_LENGTH = 8_388_608;

declare function atob(text: string): string;

/**
 * Reads the page of an app from its server. The metadata of the contents has priority over that of the list of resources.
 * @throws AppError if the URI is not `ui://`, or if the server has no page of an app there.
 */
export async function readApp(server: AppServer, uri: string, options: ReadAppOptions = {}): Promise<AppResource> {
  requireKnownOptions('readApp', options, ['maxHtmlLength', 'signal', 'onProblem']);
  requireAmounts('readApp', options, ['maxHtmlLength']);
  requireArgument('`server` of readApp', server, 'a client', isObject);
  requireArgument('`uri` of readApp', uri, 'a string', isText);
  const { maxHtmlLength = MAX_HTML_LENGTH, signal, onProblem } = options;
  if (!uri.startsWith('ui://'))
    throw new AppError(REFUSED, `${uri.slice(0, 200)}: expected a URI that begins with ui://`);
  const { contents } = await server.readResource(uri, { signal });
  const items: readonly unknown[] = contents;
  const item = items.filter(isObject).find(each => each.uri === uri && isAppMimeType(each.mimeType));
  if (!item) throw new AppError(REFUSED, `${uri.slice(0, 200)}: expected contents with mimeType ${UI_MIME_TYPE}`);
  const html = readHtml(item);
  if (html === undefined) throw new AppError(REFUSED, `${uri.slice(0, 200)}: expected text, or a blob with base64`);
  if (html.length > maxHtmlLength)
    throw new AppError(
      REFUSED,
      `${uri.slice(0, 200)}: expected at most ${maxHtmlLength} characters, got ${html.length}`,
    );
  const ui = getUiMeta(item) ?? (await findListedMeta(server, uri, signal)) ?? {};
  const requested = isObject(ui.permissions) ? ui.permissions : {};
  return {
    uri,
    html,
    csp: readCsp(ui.csp, onProblem),
    permissions: Object.fromEntries(PERMISSIONS.filter(name => isObject(requested[name])).map(name => [name, {}])),
    prefersBorder: typeof ui.prefersBorder === 'boolean' ? ui.prefersBorder : undefined,
    domain: typeof ui.domain === 'string' ? ui.domain : undefined,
  };
}

/** Compares media types without regard to case, spaces and quotes. */
function isAppMimeType(value: unknown): boolean {
  return typeof value === 'string' && value.toLowerCase().replace(/[\s"]/g, '') === UI_MIME_TYPE;
}

function readHtml({ text, blob }: JsonObject): string | undefined {
  if (typeof text === 'string') return text;
  if (typeof blob !== 'string') return undefined;
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(blob), character => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

function getUiMeta({ _meta }: { readonly _meta?: unknown }): JsonObject | undefined {
  return isObject(_meta) && isObject(_meta.ui) ? _meta.ui : undefined;
}

/** Servers may leave pages of apps out of the list, and may have no list. */
async function findListedMeta(server: AppServer, uri: string, signal?: AbortSignal): Promise<JsonObject | undefined> {
  try {
    for await (const listed of server.listResources({ signal })) if (listed.uri === uri) return getUiMeta(listed);
  } catch {
    signal?.throwIfAborted();
  }
  return undefined;
}
