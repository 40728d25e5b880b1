import { readFile } from 'node:fs/promises';
import { createMockServer } from '@tenon/testing';
import type { RequestHandler } from 'tenon';

/** Opens a recording as a server. It gives recorded answers only. */
export async function openRecordedTarget(path: string): Promise<RequestHandler> {
  return createMockServer(await readFile(path, 'utf8'), { unrecorded: 'refuse' });
}
