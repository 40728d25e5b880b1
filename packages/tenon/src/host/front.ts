import type { TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import { readLoggingLevel } from '../model/content.js';
import type { Operate } from '../server/extension.js';
import type { Front } from '../server/front.js';
import type { Session, Turn } from '../server/turn.js';
import type { Hub } from './hub.js';
import { toolOf } from './relay/calling.js';
import { instructions } from './relay/instructions.js';
import { listening } from './relay/listening.js';
import { list } from './relay/listing.js';
import { findPlace } from './relay/locating.js';
import { resourceProposal } from './relay/proposals.js';
import { completeArgument, getPrompt, readResource } from './relay/reading.js';

const SUBSCRIBE = 'resources/subscribe';

/** A host as that which a server offers: everything of all its servers. */
export function frontOf(hub: Hub): Front {
  const operations: { readonly [method: string]: Operate } = {
    'tools/list': (operation, turn) => list(hub, 'tools', operation, turn),
    'prompts/list': (operation, turn) => list(hub, 'prompts', operation, turn),
    'resources/list': (operation, turn) => list(hub, 'resources', operation, turn),
    'resources/templates/list': (operation, turn) => list(hub, 'templates', operation, turn),
    'resources/read': (operation, turn) => readResource(hub, operation, turn),
    'prompts/get': (operation, turn) => getPrompt(hub, operation, turn),
    'completion/complete': (operation, turn) => completeArgument(hub, operation, turn),
    'resources/subscribe': ({ params }, turn) => subscribe(hub, params, turn),
    'resources/unsubscribe': ({ params }, turn) => unsubscribe(hub, params, turn),
    'logging/setLevel': ({ params }, turn) => setLevel(hub, params, turn),
  };
  return {
    operations,
    offers: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      completions: {},
    },
    tool: (name, turn) => toolOf(hub, name, turn),
    outputSchemaOf: (name, turn) => outputSchemaOf(hub, name, turn),
    listen: (wishes, turn) => listening(hub, wishes, turn),
    instructions: whom => instructions(hub, whom),
    rootsChanged: session => rootsChanged(hub, session),
    close: () => hub.close(),
  };
}

async function outputSchemaOf(hub: Hub, name: string, turn: Turn): Promise<JsonObject | undefined> {
  const route = await hub
    .catalog(hub.audience(turn))
    .route('tools', name)
    .catch(() => undefined);
  return route?.entry.outputSchema as JsonObject | undefined;
}

async function subscribe(hub: Hub, params: JsonObject, turn: Turn): Promise<JsonObject> {
  const uri = params.uri as string;
  const { line, uri: inner } = await findPlace(hub, uri, turn, SUBSCRIBE);
  const proposal = resourceProposal(line, inner);
  await hub.guard.glance(proposal, line, SUBSCRIBE);
  try {
    if (turn.session) await hub.subscriptions.add(turn.session, uri, line, inner);
  } catch (error) {
    const { kind, name, server, principal } = proposal;
    await hub.guard.refused({ method: SUBSCRIBE, kind, name, server, principal, error });
    throw error;
  }
  return {};
}

function unsubscribe(hub: Hub, { uri }: JsonObject, { session }: Turn): JsonObject {
  if (session) hub.subscriptions.remove(session, uri as string);
  return {};
}

/** The level of a session is that of its lines. */
async function setLevel(hub: Hub, params: JsonObject, turn: Turn): Promise<JsonObject> {
  const level = readLoggingLevel(params.level);
  if (level === undefined) return {};
  turn.setLogLevel?.(level);
  if (turn.session) await hub.setLogLevel(turn.session, level);
  return {};
}

function rootsChanged(hub: Hub, session: Session): void {
  for (const line of hub.linesOf(session)) {
    void line.open?.rootsChanged().catch((error: TenonError) => hub.guard.problem(error));
  }
}
