/** Host page with the official bridge, and the sandbox of the library. */
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

const events = [];
async function show(sandboxUrl, html) {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms');
  document.body.append(frame);
  const bridge = new AppBridge(
    null,
    { name: 'official-host', version: '1.0.0' },
    { openLinks: {}, serverTools: {}, serverResources: {}, logging: {}, updateModelContext: {} },
    { hostContext: { theme: 'light', displayMode: 'inline', availableDisplayModes: ['inline', 'fullscreen'] } },
  );
  bridge.oncalltool = async ({ name, arguments: input }) => {
    events.push([name, input]);
    return { content: [], structuredContent: { doubled: input.value * 2 } };
  };
  bridge.onopenlink = async ({ url }) => {
    events.push(['link', url]);
    return {};
  };
  bridge.onmessage = async ({ content }) => {
    events.push(['message', content]);
    return {};
  };
  bridge.onupdatemodelcontext = async params => {
    events.push(['context', params]);
    return {};
  };
  bridge.onrequestdisplaymode = async ({ mode }) => ({ mode });
  bridge.onreadresource = async ({ uri }) => ({ contents: [{ uri, text: 'read' }] });
  const ready = new Promise(resolve => {
    bridge.oninitialized = resolve;
  });
  bridge.onsandboxready = () => bridge.sendSandboxResourceReady({ html });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.src = sandboxUrl;
  await ready;
  return bridge;
}
Object.assign(globalThis, { events, show });
