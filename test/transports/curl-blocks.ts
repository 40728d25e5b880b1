import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../docs/pages.js';

/** Returns the blocks of a page that begin with `curl`. */
export function findCurlBlocks(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/```sh\n(curl [\s\S]*?)\n```/g)].map(([, block = '']) => block);
}
