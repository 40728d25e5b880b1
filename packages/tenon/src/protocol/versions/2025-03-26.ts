import type { JsonObject } from '../../jsonrpc/message.js';
import { v20241105 } from './2024-11-05.js';
import { deriveVersion } from './define-version.js';
import { without } from './message-transforms.js';

/** https://modelcontextprotocol.io/specification/2025-03-26/changelog */
export const v20250326 = deriveVersion(v20241105, {
  protocolVersion: '2025-03-26',
  http: { batches: true },
  changes: [
    // Audio is a kind of content.
    { encode: { parts: { content: replaceAudio, sampled: replaceAudio } } },
    // Tools have annotations.
    { encode: { parts: { tool: without('annotations') } } },
    // Progress has a message.
    { encode: { params: { 'notifications/progress': without('message') } } },
    // Completion is a capability.
    {
      encode: { parts: { serverCapabilities: without('completions') } },
      decode: { parts: { serverCapabilities: inferCompletions } },
    },
  ],
});

function replaceAudio(block: JsonObject): JsonObject {
  if (block.type !== 'audio') return block;
  const bytes = Math.floor((String(block.data).replace(/=+$/, '').length * 3) / 4);
  const annotations = block.annotations === undefined ? {} : { annotations: block.annotations };
  return { type: 'text', text: `[audio, ${block.mimeType}, ${bytes} bytes: not shown]`, ...annotations };
}

/** A server could complete without saying so. */
function inferCompletions(capabilities: JsonObject): JsonObject {
  return capabilities.prompts || capabilities.resources ? { completions: {}, ...capabilities } : capabilities;
}
