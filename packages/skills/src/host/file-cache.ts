import type { SkillContent } from '../client/skills-of.js';
import { getSkillFolder, type SkillEntry } from '../format/skill-entry.js';
import { MAX_SIZE } from '../format/skills-protocol.js';

/** Bytes of one server that stay in memory. */
const MAX_CACHED = 4 * MAX_SIZE;

/**
 * Creates a cache of verified files, in memory only: no search for skills in a file system finds them, and no other program
 * can change them. Files of one server are never returned for another.
 */
export function createFileCache() {
  const byServer = new Map<string, Map<string, SkillContent>>();
  return {
    /** Returns a file by its digest. `load` reads and verifies it. */
    async read(
      server: string,
      entry: SkillEntry,
      path: string,
      load: () => Promise<SkillContent>,
    ): Promise<SkillContent> {
      const uri = getSkillFolder(entry) + path;
      const listed = entry.files?.find(file => file.uri === uri);
      // The fields of a `SKILL.md` are compared with the entry on each load.
      if (listed === undefined || uri === entry.uri) return load();
      const files = byServer.get(server) ?? new Map<string, SkillContent>();
      const cached = files.get(listed.digest);
      if (cached) return { ...cached, uri };
      const content = await load();
      byServer.set(server, files.set(listed.digest, content));
      let total = [...files.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
      for (const [digest, { bytes }] of files) {
        if (total <= MAX_CACHED) break;
        total -= bytes.length;
        files.delete(digest);
      }
      return content;
    },
    remove(server: string): void {
      byServer.delete(server);
    },
  };
}
