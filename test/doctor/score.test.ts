import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../docs/pages.js';
import { httpFaults } from './http-faults.js';
import { stdioFaults } from './stdio-faults.js';
import { toolFaults } from './tool-faults.js';

it('is documented with the numbers of the faults', () => {
  const page = readFileSync(join(root, 'docs/help/troubleshooting.md'), 'utf8').replaceAll('\n', ' ');
  const [http, tools, stdio] = [httpFaults, toolFaults, stdioFaults].map(({ length }) => length);
  const all = httpFaults.length + toolFaults.length + stdioFaults.length;
  expect(page).toContain(`${all} faults into sound servers, one at a time: ${http} over HTTP`);
  expect(page).toContain(`${tools} in the definitions of tools, ${stdio} on standard streams`);
  expect(page).toContain(`finds ${all} of ${all}`);
});
