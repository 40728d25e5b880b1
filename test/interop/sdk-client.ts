import { createAnswers, type ReceivedRequests } from './answers.js';

/** What a foreign client heard by itself. */
export interface ReceivedNotification {
  readonly method: string;
  readonly params?: unknown;
}

type Params = Readonly<Record<string, unknown>>;

export interface CallResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

export interface SdkCallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: {
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  }) => void;
}

/** What the clients of both official SDKs have in common. */
export interface SdkClient {
  getServerVersion(): unknown;
  getServerCapabilities(): unknown;
  getInstructions(): string | undefined;
  listTools(params?: Params): Promise<{ readonly tools: readonly Named[]; readonly nextCursor?: string }>;
  listPrompts(params?: Params): Promise<{ readonly prompts: readonly Named[]; readonly nextCursor?: string }>;
  listResources(
    params?: Params,
  ): Promise<{ readonly resources: readonly (Named & { readonly uri: string })[]; readonly nextCursor?: string }>;
  listResourceTemplates(
    params?: Params,
  ): Promise<{ readonly resourceTemplates: readonly (Named & { readonly uriTemplate: string })[] }>;
  readResource(params: { readonly uri: string }): Promise<{ readonly contents: readonly Params[] }>;
  getPrompt(params: {
    readonly name: string;
    readonly arguments?: Record<string, string>;
  }): Promise<{ readonly messages: readonly Params[] }>;
  complete(params: never): Promise<{
    readonly completion: { readonly values: readonly string[]; readonly total?: number; readonly hasMore?: boolean };
  }>;
  setLoggingLevel(level: 'debug' | 'warning'): Promise<unknown>;
  subscribeResource(params: { readonly uri: string }): Promise<unknown>;
  unsubscribeResource(params: { readonly uri: string }): Promise<unknown>;
  sendRootsListChanged(): Promise<void>;
  ping(): Promise<unknown>;
  close(): Promise<void>;
}

interface Named {
  readonly name: string;
}

/** A client of an official SDK that is connected to a server of ours. */
export interface ConnectedSdkClient {
  readonly client: SdkClient;
  readonly requests: ReceivedRequests;
  readonly notifications: readonly ReceivedNotification[];
  call(name: string, input?: Params, sending?: SdkCallOptions & { readonly meta?: Params }): Promise<CallResult>;
  /** Where changes come on a stream that is asked for. Returns what ends it. */
  listen?(filter: Params): Promise<() => Promise<void>>;
  /** Where there are sessions: ends this one. */
  terminate?(): Promise<void>;
  /** Codes of errors that the client gives for those that crossed. */
  readonly codes?: Readonly<Record<number, number>>;
  /** Where the server is a child: its process. */
  readonly pid?: number | null;
}

/** Every entry of a list, whether the client walks its pages by itself or not. */
export async function collectPages<T>(
  list: (params?: Params) => Promise<{ readonly nextCursor?: string }>,
  key: string,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await list(cursor === undefined ? undefined : { cursor });
    all.push(...((page as unknown as Record<string, T[]>)[key] as T[]));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return all;
}

/** What every visitor can do, and what it says to what it is asked. */
export const capabilities = {
  roots: { listChanged: true },
  sampling: { tools: {} },
  elicitation: { form: { applyDefaults: true }, url: {} },
};

/** Answers any question as the agreeable user does; a model that has tools uses the first one. */
export async function answerRequest(
  method: string,
  params: Params | undefined,
  requests: ReceivedRequests,
): Promise<never> {
  const user = createAnswers(requests);
  const about = { signal: new AbortController().signal, server: 'tenon', progress: () => {} };
  if (method === 'roots/list')
    return { roots: user.roots instanceof Function ? await user.roots() : user.roots } as never;
  if (method === 'elicitation/create')
    return (await (params?.mode === 'url'
      ? user.elicitUrl(params as never, about)
      : user.elicit(params as never, about))) as never;
  const { tools, toolChoice } = params as { tools?: Named[]; toolChoice?: { mode: string } };
  if (tools && toolChoice?.mode !== 'none') {
    requests.push('sample');
    return {
      role: 'assistant',
      model: 'echo',
      stopReason: 'toolUse',
      content: [{ type: 'tool_use', id: 'u1', name: tools[0]?.name, input: {} }],
    } as never;
  }
  return (await user.sample(params as never, about)) as never;
}
