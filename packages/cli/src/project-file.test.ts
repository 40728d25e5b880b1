import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHome } from './mcp-hosts/fixtures/run-in-home.js';
import { resolveProjectPath, writeProjectFile } from './project-file.js';

let root = '';
let project = '';
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'tenon-project-')));
  project = join(root, 'project');
  await mkdir(project);
});
afterEach(() => rm(root, { recursive: true, maxRetries: 10 }));

describe.runIf(process.platform !== 'win32')('a file of a project', () => {
  it('is not written through a link that leads out of the project', async () => {
    await writeFile(join(root, 'existing'), 'mine');
    await symlink(join(root, 'existing'), join(project, 'to-existing'));
    await symlink(join(root, 'missing'), join(project, 'dangling'));
    await symlink('../missing', join(project, 'relative'));
    await symlink(join(project, 'dangling'), join(project, 'twice'));
    await symlink(root, join(project, 'folder'));
    await symlink(join(root, 'none'), join(project, 'no-folder'));
    await symlink(join(project, 'loop'), join(project, 'loop'));
    for (const path of ['to-existing', 'dangling', 'relative', 'twice', 'folder/x', 'no-folder/x', 'loop'])
      await expect(writeProjectFile(project, path, 'evil'), path).rejects.toMatchObject({ code: 'cli/link' });
    expect(await readFile(join(root, 'existing'), 'utf8')).toBe('mine');
    await expect(readFile(join(root, 'missing'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is written through a link inside the project, and outside where the user names the path', async () => {
    await symlink(join(project, 'real'), join(project, 'link'));
    await writeProjectFile(project, 'link', 'a');
    expect(await readFile(join(project, 'real'), 'utf8')).toBe('a');
    await writeProjectFile(project, '../outside', 'b');
    expect(await readFile(join(root, 'outside'), 'utf8')).toBe('b');
    expect(await resolveProjectPath(join(project, 'new/x'), project)).toBe(join(project, 'new/x'));
  });

  it('is refused by `tenon add --project` if a link leads out of the project', async () => {
    const home = createHome();
    await mkdir(home.path('.cursor'));
    await symlink(join(root, 'missing'), home.path('.cursor/mcp.json'));
    const { code, err } = await home.run(['add', 'docs', 'https://example.com/mcp', '--host', 'cursor', '--project']);
    expect([code, err]).toEqual([expect.any(Number), expect.stringContaining('a link leads out of the project')]);
    expect(code).not.toBe(0);
    await expect(readFile(join(root, 'missing'))).rejects.toMatchObject({ code: 'ENOENT' });
    home.remove();
  });
});
