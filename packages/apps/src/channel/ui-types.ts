import type { CallToolResult, ContentBlock, Implementation, Tool } from 'tenon';
import type { JsonObject } from './messages.js';

/**
 * Versions of the protocol between a page and its host, the latest first.
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx
 */
export const UI_VERSIONS = ['2026-01-26'] as const;
export const LATEST_UI_VERSION = UI_VERSIONS[0];

/** Place of a page: in the conversation, over the whole window, or floating above other content. */
export type DisplayMode = 'inline' | 'fullscreen' | 'pip';
export const DISPLAY_MODES: readonly DisplayMode[] = ['inline', 'fullscreen', 'pip'];

/** Content security policy of a page, as lists of origins. An origin that is not listed cannot be reached. */
export interface AppCsp {
  /**
   * Origins that the page may send requests to (`connect-src`).
   * @default none
   */
  readonly connectDomains?: readonly string[] | undefined;
  /**
   * Origins of scripts, styles, images, fonts and media.
   * @default none
   */
  readonly resourceDomains?: readonly string[] | undefined;
  /**
   * Origins of frames inside the page (`frame-src`).
   * @default none
   */
  readonly frameDomains?: readonly string[] | undefined;
  /**
   * Origins of the `<base>` element (`base-uri`).
   * @default none
   */
  readonly baseUriDomains?: readonly string[] | undefined;
}

/** Features of the browser that a page asks for. A host may refuse them. */
export interface AppPermissions {
  /** The camera. */
  readonly camera?: Record<string, never> | undefined;
  /** The microphone. */
  readonly microphone?: Record<string, never> | undefined;
  /** The location of the device. */
  readonly geolocation?: Record<string, never> | undefined;
  /** Writing to the clipboard. */
  readonly clipboardWrite?: Record<string, never> | undefined;
}

/** Size of the space for a page: fixed with `width` or `height`, otherwise up to a maximum. In pixels. */
export interface ContainerDimensions {
  /** Fixed width. */
  readonly width?: number | undefined;
  /** Fixed height. */
  readonly height?: number | undefined;
  /** Maximum width of a page that chooses its width. */
  readonly maxWidth?: number | undefined;
  /** Maximum height of a page that chooses its height. */
  readonly maxHeight?: number | undefined;
}

/** The environment of a page, as its host describes it. All members are optional and may change. */
export interface HostContext {
  /** The tool whose call shows the page. */
  readonly toolInfo?: { readonly id?: string | number | undefined; readonly tool: Tool } | undefined;
  /** Color theme of the host. */
  readonly theme?: 'light' | 'dark' | undefined;
  /** CSS variables with standard names, and CSS that loads fonts. */
  readonly styles?:
    | {
        readonly variables?: { readonly [name: string]: string | undefined } | undefined;
        readonly css?: { readonly fonts?: string | undefined } | undefined;
      }
    | undefined;
  /** Current place of the page. */
  readonly displayMode?: DisplayMode | undefined;
  /** Display modes that the host supports. */
  readonly availableDisplayModes?: readonly string[] | undefined;
  /** Space for the page. */
  readonly containerDimensions?: ContainerDimensions | undefined;
  /** Language and region, as a BCP 47 tag. */
  readonly locale?: string | undefined;
  /** IANA name of the time zone. */
  readonly timeZone?: string | undefined;
  /** Name of the host application. */
  readonly userAgent?: string | undefined;
  /** Kind of the device. */
  readonly platform?: 'web' | 'desktop' | 'mobile' | undefined;
  /** Input of the device. */
  readonly deviceCapabilities?:
    | { readonly touch?: boolean | undefined; readonly hover?: boolean | undefined }
    | undefined;
  /** Borders of the page that the device covers, in pixels. */
  readonly safeAreaInsets?:
    | { readonly top: number; readonly right: number; readonly bottom: number; readonly left: number }
    | undefined;
}

/** Features that a host offers to pages. */
export interface HostCapabilities {
  /** Features outside the specification. */
  readonly experimental?: JsonObject | undefined;
  /** The host opens links. */
  readonly openLinks?: JsonObject | undefined;
  /** The host downloads files. */
  readonly downloadFile?: JsonObject | undefined;
  /** Pages may call tools of their server. */
  readonly serverTools?: { readonly listChanged?: boolean | undefined } | undefined;
  /** Pages may read resources of their server. */
  readonly serverResources?: { readonly listChanged?: boolean | undefined } | undefined;
  /** The host accepts log messages. */
  readonly logging?: JsonObject | undefined;
  /** The host gives the model the context of a page. */
  readonly updateModelContext?: JsonObject | undefined;
  /** Pages may add messages to the conversation. */
  readonly message?: JsonObject | undefined;
  /** Pages may request messages from the model. */
  readonly sampling?: { readonly tools?: JsonObject | undefined } | undefined;
  /** Permissions and origins that the host granted. */
  readonly sandbox?:
    | { readonly permissions?: AppPermissions | undefined; readonly csp?: AppCsp | undefined }
    | undefined;
}

/** Capabilities that a page declares. */
export interface AppCapabilities {
  readonly experimental?: JsonObject | undefined;
  readonly tools?: { readonly listChanged?: boolean | undefined } | undefined;
  readonly availableDisplayModes?: readonly DisplayMode[] | undefined;
}

/** Context for the model in later turns. Each update replaces the previous one. */
export interface ModelContext {
  /** Content for the model. */
  readonly content?: readonly ContentBlock[] | undefined;
  /** The same as data. */
  readonly structuredContent?: JsonObject | undefined;
}

/** A file to download: its contents, or a link to a resource of the server. */
export interface DownloadContent {
  /** An embedded resource with its contents, or a link. */
  readonly type: 'resource' | 'resource_link';
  readonly [member: string]: unknown;
}

export type { CallToolResult, ContentBlock, Implementation, Tool };
