import { stat } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import { resolveHostPath, type UserPlaces } from './hosts/host-paths.js';
import { mcpHosts } from './hosts/mcp-hosts.js';

/** Hosts whose files are looked through first, in this order. */
const FIRST = ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'windsurf'];
const ordered = [...mcpHosts].sort((a, b) => getRank(a.id) - getRank(b.id));

function getRank(id: string): number {
  const rank = FIRST.indexOf(id);
  return rank < 0 ? FIRST.length : rank;
}

/** Finds the configuration files of the user's MCP hosts: of all hosts to which `tenon add` adds servers. */
export async function findUserHostFiles(places: UserPlaces): Promise<string[]> {
  return filterFiles(ordered.flatMap(host => host.user.map(each => resolveHostPath(each, places))));
}

/** Finds the configuration files that MCP hosts have in the folder of a project. */
export async function findProjectHostFiles(places: UserPlaces): Promise<string[]> {
  const path = places.platform === 'win32' ? win32 : posix;
  return filterFiles(ordered.flatMap(host => host.project.map(each => path.join(places.cwd, each))));
}

async function filterFiles(paths: readonly string[]): Promise<string[]> {
  const unique = [...new Set(paths)];
  const isFile = await Promise.all(
    unique.map(path =>
      stat(path).then(
        stats => stats.isFile(),
        () => false,
      ),
    ),
  );
  return unique.filter((_, index) => isFile[index]);
}
