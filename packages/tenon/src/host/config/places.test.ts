import { describe, expect, it } from 'vitest';
import { fileUri, resolvePath, workspaceOf } from './places.js';

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
  ])('from %s, %s is %s', (folder, path, result) => {
    expect(resolvePath(folder, path)).toBe(result);
  });

  it('knows the folder that a file is about', () => {
    expect(workspaceOf('/a/b/.mcp.json')).toBe('/a/b');
    expect(workspaceOf('/a/b/.vscode/mcp.json')).toBe('/a/b');
    expect(workspaceOf('C:\\a\\.cursor\\mcp.json')).toBe('C:\\a');
    expect(workspaceOf('/mcp.json')).toBe('/');
    expect(workspaceOf('mcp.json')).toBeUndefined();
  });

  it('writes paths as URIs', () => {
    expect(fileUri('/a b/#c')).toBe('file:///a%20b/%23c');
    expect(fileUri('C:\\a\\b')).toBe('file:///C:/a/b');
    expect(fileUri('/a\ud800')).toBe('file:///a%EF%BF%BD');
  });
});
