import type { JsonObject } from '@tenon/base';
import { v20241105 } from './2024-11-05.js';
import { deriveVersion } from './define-version.js';
import { without } from './message-transforms.js';

/**
 * The changes of protocol version 2025-03-26.
 * @see https://modelcontextprotocol.io/specification/2025-03-26/changelog
 */
export const v20250326 = deriveVersion(v20241105, {
  protocolVersion: '2025-03-26',
  http: { batches: true },
  changes: [
    // Adds audio content.
    { encode: { parts: { content: replaceAudio, sampled: replaceAudio } } },
    // Adds annotations of tools.
    { encode: { parts: { tool: without('annotations') } } },
    // Adds messages to progress notifications.
    { encode: { params: { 'notifications/progress': without('message') } } },
    // Adds the `completions` capability.
    {
      encode: { parts: { serverCapabilities: without('completions') } },
      decode: {
        parts: {
          // Earlier servers could complete arguments without declaring it.
          serverCapabilities: capabilities =>
            capabilities.prompts || capabilities.resources ? { completions: {}, ...capabilities } : capabilities,
        },
      },
    },
  ],
});

function replaceAudio(block: JsonObject): JsonObject {
  if (block.type !== 'audio') return block;
  const bytes = Math.floor((String(block.data).replace(/=+$/, '').length * 3) / 4);
  const annotations = block.annotations === undefined ? {} : { annotations: block.annotations };
  return { type: 'text', text: `[audio, ${block.mimeType}, ${bytes} bytes: not shown]`, ...annotations };
}
