import { describe, expect, it } from 'vitest';
import { joinFindingMessages, listFindingCodes, readOne } from '../fixtures/read.js';

const server = (authExceptions: unknown) => ({ url: 'https://mcp.example/mcp', authExceptions });
const ALL = {
  ignoreIssuerSlash: true,
  issuer: 'https://login.example',
  omitResource: true,
  sendScopeOnRefresh: false,
  assumePkce: true,
};

describe('authorization exceptions in a configuration', () => {
  it('are read from the file of the user', async () => {
    const { entries, findings } = await readOne(server(ALL));
    expect([entries[0]?.authExceptions, findings]).toEqual([ALL, []]);
  });

  it('refuse the server in a file of a project', async () => {
    const scope = 'project';
    const result = await readOne(server({ omitResource: true }), undefined, { scope });
    expect(result.entries).toEqual([]);
    expect(listFindingCodes(result)).toEqual(['error config/user-only mcpServers.s.authExceptions']);
    expect(joinFindingMessages(result)).toContain('your own configuration');
    // An entry without exceptions may be there.
    expect((await readOne({ url: 'https://mcp.example/mcp' }, undefined, { scope })).entries).toHaveLength(1);
  });

  it.each([
    [{ omitResorce: true }, 'unknown exception `omitResorce`'],
    [{ assumePkce: 'yes' }, 'invalid exception `assumePkce`'],
    [{ issuer: 'login' }, 'the URL of an issuer'],
    [{ constructor: true }, 'unknown exception'],
    [true, 'an object'],
  ])('refuse the server for %j', async (given, text) => {
    const result = await readOne(server(given));
    expect(result.entries).toEqual([]);
    expect(joinFindingMessages(result)).toContain(text);
  });
});
