import { parseWebUrl } from '@tenon/base';
import type { AppPermissions } from '../channel/ui-types.js';
import type { AppFrame, HostMessage } from './host-document.js';
import type { AppResource } from './read-app.js';
import type { ViewOptions } from './view-options.js';

const PREFIX = 'ui/notifications/sandbox-';
const FEATURES = {
  camera: 'camera',
  microphone: 'microphone',
  geolocation: 'geolocation',
  clipboardWrite: 'clipboard-write',
} as const;

/** The frame of the sandbox, with the page of the app inside. */
export interface SandboxFrame {
  readonly element: AppFrame;
  send(message: object): void;
  remove(): void;
}

/**
 * Adds the frame of the sandbox to the document, and loads the page when the sandbox is ready. Only messages of this frame
 * with the origin of the sandbox are received.
 * @throws TypeError if the sandbox has no origin of its own. A page with the origin of the host could do what the host can.
 */
export function createSandboxFrame(
  { container, sandboxUrl }: Pick<ViewOptions, 'container' | 'sandboxUrl'>,
  { html, csp }: AppResource,
  permissions: AppPermissions,
  receive: (data: unknown) => void,
): SandboxFrame {
  const { ownerDocument } = container;
  const window = ownerDocument.defaultView;
  if (!window) throw new TypeError('container: expected an element of a document that is shown');
  const url = getSandboxUrl(sandboxUrl, window.location.origin);
  url.searchParams.set('csp', JSON.stringify(csp));

  const element = ownerDocument.createElement('iframe');
  element.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms');
  element.setAttribute('title', 'App');
  element.setAttribute('referrerpolicy', 'origin');
  element.setAttribute('allow', listFeatures(permissions));
  element.style.width = '100%';
  element.style.border = '0';
  element.style.display = 'block';

  const send = (message: object) => element.contentWindow?.postMessage(message, url.origin);
  let isLoaded = false;
  const handleMessage = ({ source, origin, data }: HostMessage) => {
    if (source !== element.contentWindow || source === null || origin !== url.origin) return;
    const method = getReservedMethod(data);
    if (method === undefined) return receive(data);
    if (isLoaded || method !== `${PREFIX}proxy-ready`) return;
    isLoaded = true;
    send({ jsonrpc: '2.0', method: `${PREFIX}resource-ready`, params: { html, csp, permissions } });
  };
  window.addEventListener('message', handleMessage);
  element.src = url.href;
  container.append(element as never);
  return {
    element,
    send,
    remove() {
      window.removeEventListener('message', handleMessage);
      element.remove();
    },
  };
}

function getSandboxUrl(text: string, hostOrigin: string): URL {
  const url = parseWebUrl(text, hostOrigin);
  if (!url) throw new TypeError('sandboxUrl: expected a URL with https: or http:. Serve createSandboxResponse there');
  if (url.origin === hostOrigin)
    throw new TypeError(
      `sandboxUrl: expected another origin than ${hostOrigin}. Serve the sandbox from another host name or port`,
    );
  return url;
}

function getReservedMethod(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || !('method' in data)) return undefined;
  return typeof data.method === 'string' && data.method.startsWith(PREFIX) ? data.method : undefined;
}

/** Permissions of both frames: the sandbox passes on what it has. */
function listFeatures(permissions: AppPermissions): string {
  const names = Object.keys(FEATURES) as (keyof typeof FEATURES)[];
  return names.flatMap(name => (permissions[name] ? [`${FEATURES[name]} *`] : [])).join('; ');
}
