import { DIRECTORY_TYPE } from '../format/skills-protocol.js';
import type { ServedSkill } from './served-skill.js';

interface DirectoryChild {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
  readonly description?: string;
  readonly size?: number;
}

/** Lists each folder of the skills and the folders above them, by URI without the last slash. */
export function listDirectories(skills: readonly ServedSkill[]): ReadonlyMap<string, readonly object[]> {
  const directories = new Map<string, Map<string, object>>();
  const add = (child: DirectoryChild) => {
    const parent = child.uri.slice(0, child.uri.lastIndexOf('/'));
    if (parent.endsWith('/')) return;
    const children = directories.get(parent);
    if (children) {
      children.set(child.uri, child);
      return;
    }
    directories.set(parent, new Map([[child.uri, child]]));
    add({ uri: parent, name: getName(parent), mimeType: DIRECTORY_TYPE });
  };
  for (const { files, uri: skillUri, name, description } of skills) {
    for (const { uri, mimeType, size } of files)
      add({
        uri,
        ...(uri === skillUri ? { name, description } : { name: getName(uri) }),
        mimeType,
        ...(size === undefined ? {} : { size }),
      });
  }
  return new Map([...directories].map(([uri, children]) => [uri, [...children.values()]]));
}

const getName = (uri: string): string => decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1));
