import { describe, expect, it } from 'vitest';
import { getWorkspace, resolvePath, toFileUri } from './paths.js';

describe('paths of any platform', () => {
  it.each([
    ['/p', 'a/../b/./c', '/p/b/c'],
    ['/p/q', '../..', '/'],
    ['/', '..', '/'],
    ['/p', '/x', '/x'],
    ['/', 'a', '/a'],
    ['C:\\p', 'a\\..\\b', 'C:\\p\\b'],
    ['C:\\p', 'D:\\x', 'D:\\x'],
    ['C:/p', './x', 'C:/p/x'],
    [undefined, 'x', 'x'],
  ])('resolve from %s, %s to %s', (folder, path, result) => {
    expect(resolvePath(folder, path)).toBe(result);
  });

  it('lead to the workspace of a file', () => {
    expect(getWorkspace('/a/b/.mcp.json')).toBe('/a/b');
    expect(getWorkspace('/a/b/.vscode/mcp.json')).toBe('/a/b');
    expect(getWorkspace('C:\\a\\.cursor\\mcp.json')).toBe('C:\\a');
    expect(getWorkspace('/mcp.json')).toBe('/');
    expect(getWorkspace('mcp.json')).toBeUndefined();
  });

  it('become URIs', () => {
    expect(toFileUri('/a b/#c')).toBe('file:///a%20b/%23c');
    expect(toFileUri('C:\\a\\b')).toBe('file:///C:/a/b');
    expect(toFileUri('/a\ud800')).toBe('file:///a%EF%BF%BD');
  });
});
