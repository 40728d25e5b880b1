import { nearestKey } from '../../model/nearest-key.js';
import type { Spot } from './document.js';
import type { ReadEnvFile } from './env-file.js';
import { FOLLOWED, REMARKS, UNFOLLOWED } from './keys.js';
import { fileUri, isAbsolute, resolvePath } from './places.js';
import { quoted, type Report } from './problem.js';
import type { ConfiguredEntry, Origin, ServerEntry } from './server-entry.js';
import { readTarget } from './target.js';
import { readLimits } from './time-limits.js';
import { type Draft, filledList, flagAt, textList, wrongShape } from './values.js';
import type { Fill } from './variables.js';

/** How long the name of a server may be, in characters. */
const MAX_NAME = 256;

export interface EntrySources {
  readonly file: string;
  readonly scope: Origin['scope'] | undefined;
  readonly workspace: string | undefined;
  readonly fill: Fill;
  readonly readEnvFile: ReadEnvFile | undefined;
  readonly report: Report;
}

/** Reads one server. Undefined when something is wrong with it, which is reported. */
export async function readEntry(name: string, spot: Spot, sources: EntrySources): Promise<ConfiguredEntry | undefined> {
  let failed = false;
  const { report, fill, readEnvFile, ...rest } = sources;
  const draft: Draft = {
    ...rest,
    name,
    spot,
    members: membersOf(spot),
    // A server that does not run needs no variables, and nobody is asked for its inputs.
    isOff: isOff(spot),
    fill: isOff(spot) ? async text => text : fill,
    written: Object.create(null) as Record<string, string>,
    fault(...told) {
      failed = true;
      report('error', ...told);
    },
    warn: (...told) => report('warning', ...told),
  };
  if (!isSound(draft)) return undefined;
  checkKeys(draft);
  const target = await readTarget(draft, draft.isOff ? async () => ({}) : readEnvFile);
  const more = { ...readLimits(draft), ...(await readRest(draft)) };
  if (failed || !target) return undefined;
  const { file, scope } = sources;
  const origin = scope && { origin: { file, line: spot.line ?? 1, scope } };
  return { name, target, ...more, ...origin, written: { ...draft.written } };
}

const isOff = ({ members }: Spot): boolean =>
  members.get('disabled')?.value === true || members.get('enabled')?.value === false;

/** Zed has had the command with its arguments and environment in an object of their own. */
function membersOf({ members, path }: Spot): ReadonlyMap<string, Spot> {
  const command = path[0] === 'context_servers' ? members.get('command') : undefined;
  if (command?.kind !== 'object') return members;
  const { path: program, args, env, timeout } = Object.fromEntries(command.members);
  const inner = Object.entries({ command: program, args, env, timeout }).filter(([, spot]) => spot !== undefined);
  return new Map([...[...members].filter(([key]) => key !== 'command'), ...(inner as [string, Spot][])]);
}

function isSound(draft: Draft): boolean {
  const { name, spot } = draft;
  if (spot.kind !== 'object') wrongShape(draft, spot, 'an object');
  else if (name.trim() === '' || name.length > MAX_NAME || /\p{Cc}/u.test(name))
    draft.fault('config/name', spot, 'this can not be the name of a server', {
      expected: `1 to ${MAX_NAME} characters that can be printed`,
    });
  else if (allRepeated(spot).length)
    for (const each of allRepeated(spot)) draft.fault('config/duplicate-key', each, 'this key came before');
  else return true;
  return false;
}

/** Hosts disagree on which of two equal keys counts, so that one could be shown and the other run. */
function allRepeated(spot: Spot): readonly Spot[] {
  const inner = [...spot.members.values()];
  return [spot, ...inner, ...inner.flatMap(each => [...each.members.values()])].flatMap(each => each.repeated);
}

function checkKeys(draft: Draft): void {
  for (const [key, spot] of draft.spot.members) {
    if (FOLLOWED.includes(key) || REMARKS.includes(key)) continue;
    const next = Object.hasOwn(UNFOLLOWED, key) ? UNFOLLOWED[key] : undefined;
    if (next) {
      draft.warn('config/not-followed', spot, `${quoted(key)} is not followed here`, { next });
      continue;
    }
    draft.warn('config/unknown-key', spot, `the key ${quoted(key)} is not known`, () => {
      const nearest = nearestKey(key, [...FOLLOWED, ...Object.keys(UNFOLLOWED)]);
      return nearest === undefined ? {} : { next: `${quoted(nearest)} is known: is that meant?` };
    });
  }
}

type Rest = Pick<ServerEntry, 'disabled' | 'trusted' | 'tools' | 'roots' | 'share'>;

async function readRest(draft: Draft): Promise<Rest> {
  const [disabled, enabled, trusted, share] = ['disabled', 'enabled', 'trusted', 'share'].map(name =>
    flagAt(draft, name),
  );
  const sandbox = draft.members.get('sandboxEnabled');
  // To run outside of a sandbox what is meant for one would be the opposite of what was asked for.
  if (sandbox && flagAt(draft, 'sandboxEnabled') && !draft.isOff)
    draft.fault('config/sandbox', sandbox, 'there is no sandbox here to run this server in', {
      next: 'start it by a command that has one (docker, bwrap), or take `sandboxEnabled` out',
    });
  const [tools, roots] = [readTools(draft), await readRoots(draft)];
  return {
    ...((disabled || enabled === false) && { disabled: true }),
    ...(trusted !== undefined && { trusted }),
    ...(share !== undefined && { share }),
    ...(tools && { tools }),
    ...(roots && { roots }),
  };
}

/** `tools: { include, exclude }`, a list (Copilot CLI), `includeTools` (Gemini CLI) and `disabledTools` (Windsurf). */
function readTools(draft: Draft): ServerEntry['tools'] {
  const { members } = draft;
  const tools = members.get('tools');
  if (tools && tools.kind !== 'object' && tools.kind !== 'array')
    return wrongShape(draft, tools, 'a list or an object');
  for (const [key, spot] of tools?.members ?? [])
    if (key !== 'include' && key !== 'exclude')
      draft.warn('config/unknown-key', spot, `the key ${quoted(key)} is not known`, { next: 'write include, exclude' });
  const listOf = (...spots: (Spot | undefined)[]) => {
    const there = spots.filter(spot => spot !== undefined);
    return there.length ? there.flatMap(spot => textList(draft, spot) ?? []) : undefined;
  };
  const inner = (name: string) => tools?.members.get(name);
  const include = listOf(tools?.kind === 'array' ? tools : inner('include'), members.get('includeTools'));
  const exclude = listOf(inner('exclude'), members.get('excludeTools'), members.get('disabledTools'));
  return include || exclude ? { ...(include && { include }), ...(exclude && { exclude }) } : undefined;
}

async function readRoots(draft: Draft): Promise<string[] | undefined> {
  const spot = draft.members.get('roots');
  const roots = spot && (await filledList(draft, 'roots', spot));
  return roots?.map(root => {
    if (/^[a-z][a-z0-9+.-]+:/i.test(root)) return root;
    const path = resolvePath(draft.workspace, root);
    return isAbsolute(path) ? fileUri(path) : root;
  });
}
