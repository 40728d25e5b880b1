import { vi } from 'vitest';

/**
 * Imports the example `notes` anew. Test files of one worker share modules, so another file may have added notes to the
 * server that is loaded already.
 */
export async function importNotes() {
  vi.resetModules();
  const { server } = await import('../../examples/notes/server.js');
  return server;
}
