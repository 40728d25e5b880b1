import type { ListEntries, ListKind } from '../connections/list-cache.js';
import type { ServerList } from '../connections/upstream-registry.js';
import type { Prefix } from './names/name-mapper.js';
import type { ToolNames } from './names/tool-names.js';
import type { PublicEntries } from './public-entries.js';

/** Filters the entries of a server's list, and may rewrite their texts. It must not change names and URIs. */
export type ListFilter = <K extends ListKind>(kind: K, part: ServerList<K>) => Promise<readonly ListEntries[K][]>;

export interface HostCatalogOptions {
  readonly prefix: Prefix;
  readonly filterList: ListFilter;
  /** Listed entries that all catalogs share. */
  readonly publicEntries: PublicEntries;
  /** Returns the configured names of a server's tools. */
  readonly getToolNames: (server: string) => ToolNames | undefined;
}
