import { manner, mannerWithoutSession } from '../conversation/opening/per-request.js';
import type { ConnectOptions, Loan, Manner, Service, SessionHandle } from '../conversation/service.js';
import type { Dialect } from '../dialects/dialect.js';
import { withoutSession } from '../dialects/without-session.js';
import type { Channel } from '../jsonrpc/channel.js';
import type { Request, Response } from '../jsonrpc/message.js';
import type { Implementation } from '../model/content.js';
import { answer } from './answer.js';
import { type Blueprint, createBlueprint } from './blueprint.js';
import type { Catalog } from './catalog.js';
import { Connection } from './connection.js';
import type { Prompts, Resources, ServerDefinition, Tools } from './definition.js';
import type { PromptDefinition } from './prompt.js';
import type { ResourceDefinition } from './resource.js';
import type { ToolDefinition } from './tool.js';

/** Things whose keys are known: URIs of resources, names of methods. */
type Keyed = { readonly [key: string]: unknown };

/** A server. One serves any number of peers at once, over any transports, with nothing leaking between them. */
export interface Server<T = Tools, P = Prompts, R = Keyed> extends Service {
  readonly info: Implementation;
  readonly tools: Catalog<ToolDefinition>;
  readonly prompts: Catalog<PromptDefinition>;
  readonly resources: Catalog<ResourceDefinition<never>>;
  /** Serves one peer for as long as its channel lives. The result has `ping`. */
  connect(channel: Channel, options?: ConnectOptions): Promise<SessionHandle>;
  /** Says that what a URI names has changed: whoever watches it is told. */
  changed(uri: string): void;
  /**
   * Says that an elicitation by URL is done: the client that was asked is told, where its revision has a word for that.
   * False when no client waits for that.
   */
  elicited(elicitationId: string): boolean;
  /** Ends every open listening with its result, and lets go of the tasks. Transports and stores close themselves. */
  close(): void;
  /** Only for the compiler: what `connect<typeof server>` reads. */
  readonly types?: { readonly tools: T; readonly prompts: P; readonly resources: R };
}

/**
 * Makes a server from its definition. Throws `TenonError` when the definition can not be served: a name, a schema or a
 * template that no client could use.
 */
export function createServer<
  const T extends Tools = Record<never, never>,
  const P extends Prompts = Record<never, never>,
  const R extends Keyed = Record<never, never>,
  const M extends Keyed = Record<never, never>,
  S = unknown,
>(definition: ServerDefinition<T, P, R, M, S>): Server<T, P, R> {
  const blueprint = createBlueprint(definition as unknown as ServerDefinition<Tools, Prompts, Resources>);
  return {
    info: blueprint.info,
    tools: blueprint.tools,
    prompts: blueprint.prompts,
    resources: blueprint.resources,
    changed: uri => blueprint.watchers.updated(uri),
    elicited: elicitationId => blueprint.elicitations.done(elicitationId),
    close() {
      for (const end of [...blueprint.endings]) end();
      for (const each of blueprint.installed) each.close?.();
    },
    ...createService(blueprint, manner),
    withoutSessions: () =>
      createService({ ...blueprint, served: blueprint.served.map(withoutSession) }, mannerWithoutSession),
  };
}

function createService(blueprint: Blueprint, classify: typeof manner) {
  return {
    async connect(channel: Channel, options?: ConnectOptions): Promise<SessionHandle> {
      const connection = new Connection(blueprint, channel, options);
      await connection.open();
      return connection;
    },
    manner: (request: Request, versionHeader?: string): Manner => classify(request, blueprint.served, versionHeader),
    answer: (request: Request, dialect: Dialect, loan: Loan): Promise<Response> =>
      answer(blueprint, request, dialect, loan),
  };
}
