import { describe, expect, it } from 'vitest';
import type { ServerInventory } from '../../catalog/server-inventory.js';
import { acceptDrift } from './accept-drift.js';
import { compareWithLock } from './compare-with-lock.js';
import { createLock } from './create-lock.js';
import { describeDrift } from './describe-drift.js';
import { entry, notes } from './fixtures/notes.js';
import { parseLockFile } from './parse-lock.js';
import { serializeLock } from './serialize-lock.js';

const uri = 'skill://refunds/SKILL.md';
const digestOf = (digit: string) => `sha256:${digit.repeat(64)}`;

/** Creates the server with a skill of one file. */
const withSkill = (digest: string, description = 'Handles refunds'): ServerInventory => ({
  ...notes,
  skills: [
    {
      uri,
      frontmatter: { name: 'refunds', description },
      resources: [
        { uri, digest, size: 10 },
        { uri: 'skill://refunds/forms.md', digest: digestOf('f'), size: 20 },
      ],
    },
  ],
});

describe('a lock of a server with skills [ext-skills.gw-lock]', () => {
  it('reports no change of the same skills, also after it was written and read', async () => {
    const lock = await parseLockFile(serializeLock(await createLock([withSkill(digestOf('a'))], [entry])));
    expect(lock.servers.get('notes')?.skills?.size).toBe(1);
    expect(await compareWithLock(lock, entry, withSkill(digestOf('a')))).toEqual([]);
  });

  it('reports the digest of a changed file, and no longer after approval', async () => {
    const lock = await createLock([withSkill(digestOf('a'))], [entry]);
    const drifts = await compareWithLock(lock, entry, withSkill(digestOf('b')));
    expect(drifts).toMatchObject([{ of: 'skill', name: uri, kind: 'files', severity: 'approve' }]);
    const text = describeDrift(drifts);
    expect(text).toContain(`notes › skill ${uri} › files (to be approved)`);
    expect(text).toContain(`-     "digest": "${digestOf('a')}"`);
    expect(text).toContain(`+     "digest": "${digestOf('b')}"`);
    expect(text).not.toContain(digestOf('f'));
    const approved = await acceptDrift(lock, drifts);
    expect(await compareWithLock(approved, entry, withSkill(digestOf('b')))).toEqual([]);
  });

  it('reports changed fields, new skills and removed ones', async () => {
    const lock = await createLock([withSkill(digestOf('a'))], [entry]);
    expect(await compareWithLock(lock, entry, withSkill(digestOf('a'), 'Refunds everything'))).toMatchObject([
      { of: 'skill', kind: 'fields', severity: 'approve' },
    ]);
    expect(await compareWithLock(lock, entry, notes)).toMatchObject([
      { of: 'skill', kind: 'removed', severity: 'note' },
    ]);
    expect(await compareWithLock(lock, entry, { ...notes, missing: ['skills'] })).toEqual([]);
    const without = await createLock([notes], [entry]);
    expect(serializeLock(without)).not.toContain('"skills"');
    expect(await compareWithLock(without, entry, withSkill(digestOf('a')))).toMatchObject([
      { of: 'skill', kind: 'added', severity: 'approve' },
    ]);
    const approved = await acceptDrift(without, await compareWithLock(without, entry, withSkill(digestOf('a'))));
    expect(await compareWithLock(approved, entry, withSkill(digestOf('a')))).toEqual([]);
  });
});
