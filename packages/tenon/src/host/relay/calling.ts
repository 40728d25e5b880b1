import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { Tool } from '../../model/content.js';
import { type Mirror, mirrorsOf } from '../../model/mirror.js';
import type { Context } from '../../server/context.js';
import type { FrontTool } from '../../server/front.js';
import type { SoundTaskRules } from '../../server/task-rules.js';
import type { Turn } from '../../server/turn.js';
import { type Route, taskSupportOf } from '../catalog.js';
import type { Hub } from '../hub.js';
import type { Proposal } from '../policy/proposal.js';
import { findRoute } from './locating.js';
import { metaTool } from './meta-tools.js';
import { type Passage, pass } from './passage.js';
import { toolProposal } from './proposals.js';
import { findSignedIn } from './signing-in.js';
import { withOuterUris } from './uris.js';

const mirrors = new WeakMap<Tool, readonly Mirror[]>();

/** A tool as a caller of the host sees it: one of a server's, or one that stands for many. */
export async function toolOf(hub: Hub, name: string, turn: Turn): Promise<FrontTool> {
  let depart: (() => void) | undefined;
  const departs = (given: () => void) => {
    depart = given;
  };
  const find = (own: string) => serversTool(hub, own, turn, departs, () => depart?.());
  return findSignedIn(hub, name, turn, async () => (await metaTool(hub, name, turn, find, departs)) ?? find(name));
}

async function serversTool(
  hub: Hub,
  name: string,
  turn: Turn,
  departs: (depart: () => void) => void,
  depart: () => void,
): Promise<FrontTool> {
  const route = await findRoute(hub, 'tools', name, turn, 'tools/call');
  return {
    mirrors: mirrorsOfTool(route.entry),
    rules: turn.dialect.tasks === undefined ? undefined : taskRules(route, departs),
    run: (params, context, now) => runTool(hub, route, params, context, now, depart),
  };
}

function mirrorsOfTool(tool: Tool): readonly Mirror[] {
  const known = mirrors.get(tool);
  if (known) return known;
  const found = mirrorsOf(tool.inputSchema as JsonObject);
  const sound = typeof found === 'string' ? [] : found;
  mirrors.set(tool, sound);
  return sound;
}

/** Which calls become tasks is the server's to say: before, where it says so in its list; else when it has. */
function taskRules({ line, entry }: Route<'tools'>, departs: (depart: () => void) => void): SoundTaskRules | undefined {
  const support = taskSupportOf(line, entry);
  return support === undefined ? undefined : { support, departs };
}

async function runTool(
  hub: Hub,
  { line, name, entry }: Route<'tools'>,
  params: JsonObject,
  context: Context,
  turn: Turn,
  depart: () => void,
): Promise<JsonObject> {
  const args = isObject(params.arguments) ? params.arguments : {};
  const passage = { line, method: 'tools/call', params: { ...params, name }, context, turn, mayAsk: true, depart };
  return guarded(hub, toolProposal(line, entry, args), passage, entry);
}

/** Does what was proposed if it is allowed, and passes on what may be passed on. */
export async function guarded(
  hub: Hub,
  proposal: Proposal,
  passage: Omit<Passage, 'questions'>,
  tool?: Tool,
): Promise<JsonObject> {
  const { guard } = hub;
  const { line, context, turn } = passage;
  const refused = await guard.before(proposal, context, line, tool);
  if (refused) return refused;
  let result: JsonObject;
  try {
    result = await pass({ ...passage, questions: guard.questions(line) });
  } catch (error) {
    guard.failed(proposal, error);
    throw error;
  }
  if (result.resultType === 'input_required') return result;
  return guard.after(proposal, outerUris(hub, line.server, turn, result), tool?.outputSchema !== undefined);
}

function outerUris(hub: Hub, server: string, turn: Turn, result: JsonObject): JsonObject {
  if (hub.board.servers.length === 1) return result;
  const catalog = hub.catalog(hub.audience(turn));
  return withOuterUris(result, uri => catalog.outerUri(server, uri));
}
