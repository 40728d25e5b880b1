import { encodePathPart } from '@tenon/base';
import { ACTIONS } from '../actions.js';
import type { ListingView } from '../api.js';
import { calls, canChange, hello, recordings, servers } from '../console-state.js';
import { listLinks } from '../parts/frame.js';
import { callApi, toServerApi } from '../request.js';
import { navigate, toRecordingPath, toServerPath } from '../route.js';
import { switchTheme } from '../theme.js';
import { type SearchText, toSearchText } from './fuzzy-search.js';

/** Something that the palette opens or does. */
export interface PaletteEntry {
  /** Text that stays the same, by which the entry is remembered. */
  readonly id: string;
  readonly kind: 'view' | 'action' | 'server' | 'tool' | 'resource' | 'prompt' | 'call' | 'recording';
  readonly title: string;
  readonly detail: string;
  readonly text: SearchText;
  readonly run: () => void;
}

const RECENT_KEY = 'tenon-palette';
const MAX_RECENT = 20;

/** Lists of the servers, by name, with the number of their changes. */
const listings = new Map<string, { readonly version: number; readonly listing: ListingView }>();

/** Reads the lists that have changed since the last time. */
export async function readListings(): Promise<void> {
  const changed = [...servers.value.values()].filter(
    ({ name, listing }) => listing > 0 && listings.get(name)?.version !== listing,
  );
  await Promise.all(
    changed.map(async ({ name, listing: version }) => {
      const listing = await callApi<ListingView>('GET', toServerApi(name));
      listings.set(name, { version, listing });
    }),
  );
}

/** Lists all entries, the last used ones first. */
export function listEntries(): PaletteEntry[] {
  const entries: PaletteEntry[] = [];
  const add = (kind: PaletteEntry['kind'], title: string, detail: string, run: () => void) => {
    entries.push({ id: `${kind} ${title}`, kind, title, detail, text: toSearchText(`${title} ${detail}`), run });
  };
  const open = (address: string) => () => navigate(address);
  for (const { title, key, href } of listLinks()) add('view', title, key, open(href));
  if (hello.value?.isGateway)
    for (const view of ['policy', 'lock', 'audit']) add('view', `Gateway ${view}`, '', open(`/gateway/${view}`));
  for (const { name, servers: names } of recordings.value.values())
    add('recording', name, names.join(', '), open(toRecordingPath(name)));
  for (const { title, detail, run } of ACTIONS) add('action', title, detail, run);
  add('action', 'Switch the theme', 't', switchTheme);
  for (const server of servers.value.values()) {
    const { name } = server;
    add('server', name, server.protocolVersion ?? server.state, open(toServerPath(name)));
    if (canChange.value)
      add('action', `Reconnect ${name}`, '', () => void callApi('POST', toServerApi(name, 'reconnect')));
    const { listing } = listings.get(name) ?? {};
    for (const tool of listing?.tools ?? [])
      add('tool', `${name} ${tool.name}`, tool.title ?? '', open(toServerPath(name, tool.name)));
    for (const { uri, name: title } of listing?.resources ?? [])
      add('resource', `${name} ${uri}`, title, open(`${toServerPath(name)}/resources?${new URLSearchParams({ uri })}`));
    for (const { name: prompt } of listing?.prompts ?? [])
      add('prompt', `${name} ${prompt}`, '', open(`${toServerPath(name)}/prompts/${encodePathPart(prompt)}`));
  }
  for (const call of [...calls.value.values()].reverse())
    add(
      'call',
      `call ${call.id}`,
      `${call.server} ${call.name || call.method} ${call.state}`,
      open(`/call/${call.id}`),
    );
  return sortByUse(entries);
}

function readRecent(): readonly string[] {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(RECENT_KEY) ?? '[]');
    return Array.isArray(read) ? read.filter(each => typeof each === 'string') : [];
  } catch {
    return [];
  }
}

/** Remembers that an entry was used. */
export function storeUse({ id }: PaletteEntry): void {
  const recent = [id, ...readRecent().filter(each => each !== id)].slice(0, MAX_RECENT);
  localStorage.setItem(RECENT_KEY, JSON.stringify(recent));
}

function sortByUse(entries: readonly PaletteEntry[]): PaletteEntry[] {
  const places = new Map(readRecent().map((id, index) => [id, index]));
  const isRecent = ({ id }: PaletteEntry) => places.has(id);
  const recent = entries.filter(isRecent).sort((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0));
  return [...recent, ...entries.filter(entry => !isRecent(entry))];
}
