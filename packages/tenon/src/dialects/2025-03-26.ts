import type { JsonObject } from '../jsonrpc/message.js';
import { r20241105 } from './2024-11-05.js';
import { without } from './change.js';
import { revise } from './revision.js';

/** https://modelcontextprotocol.io/specification/2025-03-26/changelog */
export const r20250326 = revise(r20241105, {
  revision: '2025-03-26',
  http: { batches: true },
  changes: [
    // Audio is a kind of content.
    { down: { parts: { content: audioToText, sampled: audioToText } } },
    // Tools have annotations.
    { down: { parts: { tool: without('annotations') } } },
    // Progress has a message.
    { down: { params: { 'notifications/progress': without('message') } } },
    // Completion is a capability.
    {
      down: { parts: { serverCapabilities: without('completions') } },
      up: { parts: { serverCapabilities: mayComplete } },
    },
  ],
});

function audioToText(block: JsonObject): JsonObject {
  if (block.type !== 'audio') return block;
  const bytes = Math.floor((String(block.data).replace(/=+$/, '').length * 3) / 4);
  const annotations = block.annotations === undefined ? {} : { annotations: block.annotations };
  return { type: 'text', text: `[audio, ${block.mimeType}, ${bytes} bytes: not shown]`, ...annotations };
}

/** A server could complete without saying so. */
function mayComplete(capabilities: JsonObject): JsonObject {
  return capabilities.prompts || capabilities.resources ? { completions: {}, ...capabilities } : capabilities;
}
