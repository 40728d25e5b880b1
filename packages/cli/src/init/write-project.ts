import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder } from '@tenon/base/node';
import { TenonError } from 'tenon';

/**
 * Writes the files of a project into a folder, and creates the folder. Never overwrites a file.
 * @throws TenonError `init/not-empty` when the folder contains more than a Git repository; `init/write` when a file cannot
 * be written.
 */
export async function writeProject(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  try {
    await createFolder(folder);
    const [first, ...others] = readdirSync(folder).filter(name => name !== '.git');
    if (first !== undefined) throw createNotEmptyError(folder, first, others.length);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { flag: 'wx' });
  } catch (error) {
    if (TenonError.is(error)) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new TenonError('init/write', `cannot write the project to ${folder}`, {
      received: code,
      hint: 'choose another folder',
      cause: error,
    });
  }
}

function createNotEmptyError(folder: string, name: string, others: number): TenonError {
  return new TenonError('init/not-empty', `the folder ${folder} is not empty`, {
    expected: 'an empty folder, or one with a Git repository only',
    received: others === 0 ? name : `${name} and ${others} more`,
    hint: 'choose another folder: tenon init FOLDER',
  });
}
