import { describe, expect, it } from 'vitest';
import { createNameHeader } from './request-headers.js';

describe('the header that names what a request is about', () => {
  it.each([
    ['tasks/get', { taskId: 'a-1' }],
    ['tasks/update', { taskId: 'a-1', inputResponses: {} }],
    ['tasks/cancel', { taskId: 'a-1' }],
  ])('is the id of the task in %s [ext-tasks.mcp-name-header]', (method, params) => {
    expect(createNameHeader(method, params)).toEqual({ 'mcp-name': 'a-1' });
  });

  it('is the tool, the prompt, the URI; and none where nothing is named', () => {
    expect(createNameHeader('tools/call', { name: 'add', arguments: { name: 'x' } })).toEqual({ 'mcp-name': 'add' });
    expect(createNameHeader('resources/read', { uri: 'note://ä' })).toEqual({ 'mcp-name': '=?base64?bm90ZTovL8Ok?=' });
    expect(createNameHeader('tools/list', { name: 'add' })).toEqual({});
    expect(createNameHeader('tools/call', {})).toEqual({});
  });
});
