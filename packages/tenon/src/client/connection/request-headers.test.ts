import { describe, expect, it } from 'vitest';
import { createNameHeader } from './request-headers.js';

describe('createNameHeader', () => {
  it.each([
    ['tasks/get', { taskId: 'a-1' }],
    ['tasks/update', { taskId: 'a-1', inputResponses: {} }],
    ['tasks/cancel', { taskId: 'a-1' }],
  ])('returns the id of the task in %s [ext-tasks.mcp-name-header]', (method, params) => {
    expect(createNameHeader(method, params)).toEqual({ 'mcp-name': 'a-1' });
  });

  it('returns the tool, the prompt or the URI, and no header for other requests', () => {
    expect(createNameHeader('tools/call', { name: 'add', arguments: { name: 'x' } })).toEqual({ 'mcp-name': 'add' });
    expect(createNameHeader('resources/read', { uri: 'note://ä' })).toEqual({ 'mcp-name': '=?base64?bm90ZTovL8Ok?=' });
    expect(createNameHeader('tools/list', { name: 'add' })).toEqual({});
    expect(createNameHeader('tools/call', {})).toEqual({});
  });
});
