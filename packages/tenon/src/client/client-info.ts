import type { Implementation } from '../protocol/content.js';
import { version } from '../version.js';
import type { ClientOptions } from './options.js';

/** Builds the name and version that the client gives to servers. */
export function createClientInfo({
  name = 'tenon',
  version: ownVersion = version,
  title,
  icons,
}: ClientOptions): Implementation {
  return {
    name,
    version: ownVersion,
    ...(title === undefined ? {} : { title }),
    ...(icons === undefined ? {} : { icons }),
  };
}
