import { readFile } from 'node:fs/promises';
import type { RequestHandler } from 'tenon';
import { createMockServer } from 'tenon/testing';

/** Opens a recording as a server. It gives recorded answers only. */
export async function openRecordedTarget(path: string): Promise<RequestHandler> {
  return createMockServer(await readFile(path, 'utf8'), { unrecorded: 'refuse' });
}
