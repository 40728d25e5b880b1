// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the command replaces variables in headers
import { describe, expect, it } from 'vitest';
import { createStubContext } from '../host/fixtures/stub-context.js';
import { createPairParser } from '../options/option-parsers.js';
import { readHttpAccess } from './http-access.js';

const read = (options: object, env: Record<string, string> = {}) => {
  const { context } = createStubContext('/work', () => undefined);
  return readHttpAccess({ ...context, env }, { auth: 'none', ...options });
};

describe('headers of the command line', () => {
  it('replaces variables, and trims a line break at the end of a token', async () => {
    const { headers, auth } = await read({ header: { 'x-key': 'k ${K}' }, bearerEnv: 'T' }, { K: 'v', T: 'abc\n' });
    expect([headers, auth]).toEqual([{ 'x-key': 'k v' }, 'abc']);
  });

  it.each([
    [{ header: { 'x-key': '${NOPE}' } }, 'header x-key: environment variable not found: NOPE'],
    [{ header: { 'x-key': '漢字' } }, 'header x-key: a character that HTTP headers cannot have'],
    [{ header: { 'x-key': 'a\nb' } }, 'header x-key: a line break'],
    [{ header: { 'x-key': '' } }, "header x-key: no value. A variable may be empty: write -H 'x-key: ${VARIABLE}'"],
    [{ header: { authorization: 'Bearer ' } }, 'header authorization: no value'],
    [{ bearerEnv: 'BROKEN' }, '--bearer-env BROKEN: the content of the variable has a line break'],
    [{ bearerEnv: 'SPACED' }, '--bearer-env SPACED: the content of the variable has a space'],
    [{ bearerEnv: 'NOPE' }, '--bearer-env: environment variable not found'],
  ])('refuses %j with the fix, and without the value', async (options, message) => {
    const refused = read(options, { BROKEN: 'hush\nhush', SPACED: 'Bearer hush' });
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.not.toThrow('hush');
    await expect(refused).rejects.toMatchObject({ code: 'cli/usage' });
  });

  it('shows the form of a header without a colon', () => {
    expect(() => createPairParser('--header', 'Name: value')('hush')).toThrow(
      "--header: no name. Write --header 'Name: value'",
    );
  });
});
