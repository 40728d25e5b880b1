/** Page of the test app. It reports to the host by messages to the model, and shows its state in the document. */
import { connectToHost, type HostContext } from '@tenon/apps/page';
import type { AppTestServer } from '../test-server.js';

declare const document: { body: { textContent: string | null } };

const seen: unknown[] = [];
const note = (entry: unknown) => {
  seen.push(entry);
  document.body.textContent = JSON.stringify(seen);
};

const host = await connectToHost<AppTestServer>({
  name: 'test-app',
  version: '1.0.0',
  displayModes: ['inline', 'fullscreen'],
  tools: { shown: { description: 'Returns the events that the page has seen.', run: () => JSON.stringify(seen) } },
  onToolInput: input => note(['input', input]),
  onPartialToolInput: input => note(['partial', input]),
  onToolResult: ({ structuredContent }) => note(['result', structuredContent]),
  onToolCancelled: reason => note(['cancelled', reason]),
  onContext: ({ theme, displayMode }: HostContext) => note(['context', theme, displayMode]),
  onTeardown: async reason => {
    await host.updateModelContext({ structuredContent: { teardown: reason } }).catch(() => {});
  },
});
Object.assign(globalThis, { host });
