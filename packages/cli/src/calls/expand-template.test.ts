import { expect, it } from 'vitest';
import { expandTemplate, listVariables } from './expand-template.js';

it('expands simple and reserved expressions', async () => {
  const values = new Map([
    ['id', "a b/c'"],
    ['path', 'x/y z'],
  ]);
  expect(await expandTemplate('file://{id}/{+path}', values)).toBe('file://a%20b%2Fc%27/x/y%20z');
  expect(await expandTemplate('note://plain', new Map())).toBe('note://plain');
});

it('lists the variables of all expressions', () => {
  expect(listVariables('a://{x}/{+y*}{?q,r:3}{x}')).toEqual(['x', 'y', 'q', 'r']);
});

it('names an expression that has no value, or that must be replaced', async () => {
  await expect(expandTemplate('a://{x}', new Map())).rejects.toMatchObject({ hint: 'pass x=VALUE' });
  await expect(expandTemplate('a://{+x}', new Map())).rejects.toMatchObject({ hint: 'pass x=VALUE' });
  await expect(expandTemplate('a://b{?q}', new Map([['q', '1']]))).rejects.toMatchObject({
    message: expect.stringContaining('cannot expand {?q}'),
    hint: 'replace {?q} by its value',
  });
});
