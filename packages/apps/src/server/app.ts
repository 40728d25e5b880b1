import {
  type Check,
  checkAbsoluteUrl,
  checkArray,
  checkBoolean,
  checkFunction,
  checkObject,
  checkOneOf,
  checkOptional,
  checkOptions,
  checkString,
  describeMismatch,
  dropUndefined,
  type OptionChecks,
  requireArgument,
  requireOptions,
  requireResult,
} from '@tenon/base';
import {
  type CallToolResult,
  type ClientCapabilities,
  type ContentBlock,
  type ResourceDefinition,
  TenonError,
  type ToolDefinition,
  toolResult,
} from 'tenon';
import { isCspOrigin } from '../channel/csp.js';
import { isObject } from '../channel/messages.js';
import { FLAT_RESOURCE_KEY, UI_EXTENSION, UI_MIME_TYPE, type Visibility } from '../channel/ui-meta.js';
import type { AppCsp, AppPermissions } from '../channel/ui-types.js';
import { readPage } from './read-page.js';

/** Metadata of an app. */
export interface AppMetadata {
  /**
   * URI of the page. It begins with `ui://`.
   * @example 'ui://sales/chart.html'
   */
  readonly uri: string;
  /**
   * Name for people, in user interfaces.
   * @default the URI
   */
  readonly title?: string | undefined;
  /** Describes the page to people. */
  readonly description?: string | undefined;
  /**
   * Origins that the page may reach.
   * @default none: the page contains all that it needs
   */
  readonly csp?: AppCsp | undefined;
  /**
   * Features of the browser that the page asks for, such as `{ clipboardWrite: {} }`. Do not rely on them.
   * @default none
   */
  readonly permissions?: AppPermissions | undefined;
  /**
   * Callers of the tools of this app: the model, the page, or both.
   * @default `['model', 'app']`
   */
  readonly visibility?: readonly Visibility[] | undefined;
  /**
   * Tells if the host draws a border around the page.
   * @default the host decides
   */
  readonly prefersBorder?: boolean | undefined;
  /**
   * Origin of the page in the form of one host. See the documentation of that host.
   * @default the host decides
   */
  readonly domain?: string | undefined;
}

/** Source of the page: exactly one of `html`, `file` and `url`. */
export type AppSource =
  | { readonly html: string; readonly file?: undefined; readonly url?: undefined }
  | {
      /** File with the HTML, in UTF-8. It is read for each request, so that a change needs no restart. */
      readonly file: string | URL;
      readonly html?: undefined;
      readonly url?: undefined;
    }
  | {
      /**
       * Address of the HTML, such as that of a development server. It is requested for each read. The page may load resources
       * from its origin.
       */
      readonly url: string | URL;
      readonly html?: undefined;
      readonly file?: undefined;
    };

/** Options of `app`. */
export type AppOptions = AppMetadata & AppSource;

/** Options of `App.tool`. */
export interface AppToolOptions<O> {
  /**
   * Text of the result for clients that cannot show the page. The structured content is the same for all.
   * @default the content that the tool returns
   */
  readonly text?: ((output: O) => string | readonly ContentBlock[]) | undefined;
  /**
   * Callers of this tool.
   * @default `visibility` of the app
   */
  readonly visibility?: readonly Visibility[] | undefined;
}

/** A page, and the resource that contains it. */
export interface App<U extends string = string> {
  /** URI of the page. */
  readonly uri: U;
  /** Resources of the app: add them to those of the server. */
  readonly resources: { readonly [K in U]: ResourceDefinition<never> };
  /** Shows the results of a tool in the page. Returns a tool of the same type. */
  tool<In, Out>(definition: ToolDefinition<In, Out>, options?: AppToolOptions<Out>): ToolDefinition<In, Out>;
}

const URI_PATTERN = /^ui:\/\/[\w.~!$&'()*+,;=:@%/-]+$/;
const INVALID = 'app/definition';

const checkOrigins = checkOptional(
  checkArray(value =>
    isCspOrigin(value)
      ? undefined
      : describeMismatch('an origin such as https://api.example.com', value, shortenValue(value)),
  ),
);
const checkPermission = checkOptional(checkOptions({}));
const checkCallers = checkOptional(value =>
  Array.isArray(value) && value.length === 0
    ? describeMismatch('at least one of model and app', value, 'an empty list')
    : checkArray(checkOneOf('model', 'app'))(value),
);
const checkAddress: Check = value =>
  typeof value === 'string' || value instanceof URL ? undefined : describeMismatch('a text or a URL', value);

/** `html`, `file` and `url` are checked by themselves: exactly one of them is present. */
const APP_OPTIONS: OptionChecks<AppMetadata & { [K in keyof AppSource]: unknown }> = {
  uri: value =>
    typeof value === 'string' && URI_PATTERN.test(value)
      ? undefined
      : describeMismatch('a URI such as ui://sales/chart.html', value, shortenValue(value)),
  html: checkOptional(checkString),
  file: checkOptional(checkAddress),
  url: checkOptional(value =>
    /^https?:\/\//.test(String(value)) ? checkAbsoluteUrl(value) : describeMismatch('an http: or https: URL', value),
  ),
  title: checkOptional(checkString),
  description: checkOptional(checkString),
  csp: checkOptional(
    checkOptions<AppCsp>({
      connectDomains: checkOrigins,
      resourceDomains: checkOrigins,
      frameDomains: checkOrigins,
      baseUriDomains: checkOrigins,
    }),
  ),
  permissions: checkOptional(
    checkOptions<AppPermissions>({
      camera: checkPermission,
      microphone: checkPermission,
      geolocation: checkPermission,
      clipboardWrite: checkPermission,
    }),
  ),
  visibility: checkCallers,
  prefersBorder: checkOptional(checkBoolean),
  domain: checkOptional(checkString),
};
const TOOL_OPTIONS: OptionChecks<AppToolOptions<unknown>> = {
  text: checkOptional(checkFunction),
  visibility: checkCallers,
};
const checkTool: Check = value =>
  isObject(value) && typeof value.run === 'function' ? undefined : describeMismatch('a tool', value);
const checkText: Check = value =>
  typeof value === 'string' || checkArray(checkObject())(value) === undefined
    ? undefined
    : describeMismatch('a text or a list of content blocks', value);

const shortenValue = (value: unknown): string | undefined =>
  typeof value === 'string' ? JSON.stringify(value.slice(0, 200)) : undefined;

/**
 * Defines an app: an HTML page that a host shows with the results of a tool. Clients without apps get the text of the results.
 * @throws TenonError `app/definition` for an invalid URI, source, origin, permission or visibility.
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx
 */
export function app<const U extends string>(options: AppOptions & { readonly uri: U }): App<U> {
  const subject = isObject(options) ? `app ${shortenValue(options.uri) ?? ''}`.trimEnd() : 'app';
  requireOptions(subject, options, APP_OPTIONS, INVALID);
  if ([options.html, options.file, options.url].filter(source => source !== undefined).length !== 1)
    throw new TenonError(INVALID, `${subject}: invalid source`, { expected: 'exactly one of html, file and url' });
  const { uri, title, description, permissions, prefersBorder, domain, visibility } = options;
  const csp = options.url === undefined ? options.csp : withOrigin(options.csp, new URL(options.url).origin);
  const ui = dropUndefined({ csp, permissions, prefersBorder, domain });
  const definition: ResourceDefinition<never> = {
    ...dropUndefined({ title, description }),
    mimeType: UI_MIME_TYPE,
    // Some hosts read the list only, others the contents only.
    _meta: { ui },
    read: async () => ({ text: await readPage(options), _meta: { ui } }),
  };
  return {
    uri,
    resources: { [uri]: definition } as App<U>['resources'],
    tool: (tool, own = {}) => {
      requireArgument(`a tool of ${subject}`, tool, checkTool, INVALID);
      requireOptions(`a tool of ${subject}`, own, TOOL_OPTIONS, INVALID);
      return withApp(tool, { resourceUri: uri, visibility: own.visibility ?? visibility }, own.text);
    },
  };
}

/**
 * Offers a tool to pages and not to the model. Clients that cannot show apps do not see the tool.
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx
 */
export function appOnly<In, Out>(definition: ToolDefinition<In, Out>): ToolDefinition<In, Out> {
  requireArgument('a tool of `appOnly`', definition, checkTool, INVALID);
  return withApp(definition, { visibility: ['app'] });
}

/** Tells if a client can show apps. Pass `context.client` of a handler, or the caller of `visible`. */
export function supportsApps(client: { readonly capabilities: ClientCapabilities }): boolean {
  requireArgument('the client of `supportsApps`', client, checkObject({ capabilities: checkObject() }));
  const settings = client.capabilities.extensions?.[UI_EXTENSION];
  return isObject(settings) && Array.isArray(settings.mimeTypes) && settings.mimeTypes.includes(UI_MIME_TYPE);
}

function withApp<In, Out>(
  definition: ToolDefinition<In, Out>,
  {
    resourceUri,
    visibility,
  }: { readonly resourceUri?: string; readonly visibility?: readonly Visibility[] | undefined },
  text?: AppToolOptions<Out>['text'],
): ToolDefinition<In, Out> {
  const { visible, run } = definition;
  const isForModel = visibility?.includes('model') ?? true;
  const ui = dropUndefined({ resourceUri, visibility });
  return {
    ...definition,
    _meta: { ...definition._meta, ui, ...(resourceUri === undefined ? {} : { [FLAT_RESOURCE_KEY]: resourceUri }) },
    ...(isForModel
      ? {}
      : {
          visible: caller =>
            supportsApps(caller) && (visible === undefined || visible.call(definition, caller) === true),
        }),
    run(input, context) {
      const returned = run.call(definition, input, context);
      if (!text || supportsApps(context.client)) return returned;
      return returned instanceof Promise
        ? returned.then(value => addText(value, text, definition.output !== undefined))
        : addText(returned, text, definition.output !== undefined);
    },
  };
}

/** Replaces the text of a structured result. Failures and input requests are returned as they are. */
function addText<Out>(returned: unknown, text: NonNullable<AppToolOptions<Out>['text']>, hasOutput: boolean): unknown {
  if (!hasOutput || isOtherResult(returned)) return returned;
  const content = text(returned as Out);
  requireResult('the result of `text` of a tool of an app', content, checkText, 'app/text');
  return toolResult({ content: typeof content === 'string' ? content : [...content], structuredContent: returned });
}

/** Tells if a value is a result of the specification, of `toolResult`, or an input request, and no structured content. */
function isOtherResult(value: unknown): value is Partial<CallToolResult> {
  if (!isObject(value)) return false;
  const isResult = Array.isArray(value.content) && ('structuredContent' in value || value.isError === true);
  return isResult || value.resultType === 'input_required' || Object.getOwnPropertySymbols(value).length > 0;
}

function withOrigin(csp: AppCsp = {}, origin: string): AppCsp {
  const add = (origins: readonly string[] = []) => [...new Set([...origins, origin])];
  return { ...csp, resourceDomains: add(csp.resourceDomains), baseUriDomains: add(csp.baseUriDomains) };
}
