import { isAbsolute, relative } from 'node:path';

/** Tells if a path is a folder or in it. Neither path is followed if it is a link: pass real paths where that matters. */
export function isInside(path: string, folder: string): boolean {
  const place = relative(folder, path);
  return place !== '..' && !/^\.\.[\\/]/.test(place) && !isAbsolute(place);
}
