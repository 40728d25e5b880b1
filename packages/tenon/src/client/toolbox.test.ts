import { describe, expect, it } from 'vitest';
import type { Tool } from '../model/content.js';
import { Toolbox, unusable } from './toolbox.js';

const made = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more }) as Tool;
const badly = { inputSchema: { type: 'object', properties: { a: { type: 'object', 'x-mcp-header': 'A' } } } };

describe('a toolbox', () => {
  it('reads the list once for all who wait, and again when it is told to forget', async () => {
    const toolbox = new Toolbox();
    let read = 0;
    const list = async () => {
      read++;
      return [made('a')];
    };
    await Promise.all([toolbox.ensure(list), toolbox.ensure(list)]);
    await toolbox.ensure(list);
    expect([read, toolbox.known, toolbox.get('a')?.tool.name, toolbox.get('b')]).toEqual([1, true, 'a', undefined]);
    toolbox.forget();
    expect(toolbox.get('a')).toBeUndefined();
    await toolbox.ensure(list);
    expect(read).toBe(2);
  });

  it('tries again when the list could not be read', async () => {
    const toolbox = new Toolbox();
    await expect(toolbox.ensure(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await toolbox.ensure(async () => [made('a')]);
    expect(toolbox.known).toBe(true);
  });

  it('knows nothing by the names that every object has', async () => {
    const toolbox = new Toolbox();
    await toolbox.fill([made('a')]);
    for (const name of ['constructor', '__proto__', 'toString']) expect(toolbox.get(name)).toBeUndefined();
  });

  it('bears schemas that can not be used', async () => {
    const toolbox = new Toolbox();
    const schemas = [{ $ref: '#/nowhere' }, { type: 5 }, { pattern: '(' }, { properties: 5 }];
    await toolbox.fill(schemas.map((outputSchema, n) => made(`t${n}`, { outputSchema })));
    expect(toolbox.get('t3')?.tool.name).toBe('t3');
    expect(toolbox.get('t2')?.output?.check('x')).toMatchObject({ ok: null });
    await toolbox.fill([made('a', badly)]);
    expect(toolbox.get('a')?.mirrors).toEqual([]);
  });

  it('says which tools can not be called over HTTP', () => {
    expect(unusable(badly)).toContain('x-mcp-header');
    expect(unusable({ inputSchema: { type: 'object' } })).toBeUndefined();
  });
});
