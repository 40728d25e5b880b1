import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bundle } from '../../../../test/support/bundle.js';

it('leaves the metrics of a worker out if they cannot be collected, and asks it again', async () => {
  const program = bundle(new URL('fixtures/failing-metrics.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program], { timeout: 60_000 });
  const printed = stdout.trim().split('\n');
  expect(printed.toSorted()).toEqual(['Error: no instrument', '[]', '[{"worker":1,"text":"up 1\\n"}]'].toSorted());
});
