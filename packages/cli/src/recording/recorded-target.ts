import { withDetails } from '@tenon/base';
import { readTextFile } from '@tenon/base/node';
import { createMockServer } from '@tenon/testing';
import { type RequestHandler, TenonError } from 'tenon';

/** Opens a recording as a server. It gives recorded answers only. */
export async function openRecordedTarget(path: string): Promise<RequestHandler> {
  const text = await readTextFile(path, { lenient: true });
  try {
    return createMockServer(text, { unrecorded: 'refuse' });
  } catch (error) {
    if (!TenonError.is(error) || error.code !== 'recording/server') throw error;
    // Only the commands that serve a recording have the option `--server`.
    throw withDetails(error, { hint: 'write `-- tenon mock FILE --server NAME` in place of the file' });
  }
}
