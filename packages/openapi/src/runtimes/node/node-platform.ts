import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { fetchWithAddressCheck } from 'tenon/auth/node';
import type { Platform } from '../../platform.js';

/** Node: requests are refused for host names that resolve to private addresses, and documents may be files. */
export const nodePlatform: Platform = {
  fetch: fetchWithAddressCheck,
  files: {
    toUrl: path => pathToFileURL(resolve(path)).href,
    async read(url, maxSize) {
      const decoder = new TextDecoder();
      let text = '';
      let size = 0;
      for await (const chunk of createReadStream(fileURLToPath(url))) {
        size += chunk.byteLength;
        if (size > maxSize) throw Object.assign(new Error('the file is too large'), { code: 'too-large' });
        text += decoder.decode(chunk, { stream: true });
      }
      return text + decoder.decode();
    },
  },
};
