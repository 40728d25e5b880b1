import { readTextFile } from '@tenon/base/node';
import { createMockServer } from '@tenon/testing';
import type { RequestHandler } from 'tenon';

/** Opens a recording as a server. It gives recorded answers only. */
export async function openRecordedTarget(path: string): Promise<RequestHandler> {
  return createMockServer(await readTextFile(path, { lenient: true }), { unrecorded: 'refuse' });
}
