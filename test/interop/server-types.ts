import type { PromptDefinition, ToolDefinition } from 'tenon';

interface ServerTypes<T, P = Record<never, never>> {
  readonly types?: { readonly tools: T; readonly prompts: P; readonly resources: unknown };
}

type Input = Record<string, unknown>;

/** The servers of `fixtures/` that are built with the official SDKs, as a typed client sees them. */
export type OfficialServer = ServerTypes<
  { add: ToolDefinition<{ a: number; b: number }, { sum: number }> } & Record<
    'fails' | 'works' | 'sleeps',
    ToolDefinition<undefined, unknown>
  >,
  { letter: PromptDefinition<{ to: string; city?: string }> }
>;

/** A part of server-everything. */
export type EverythingServer = ServerTypes<
  {
    'get-structured-content': ToolDefinition<{ location: string }, { temperature: number }>;
    'get-sum': ToolDefinition<{ a: number; b: number }, unknown>;
  },
  {
    'args-prompt': PromptDefinition<{ city: string }>;
    'simple-prompt': PromptDefinition<undefined>;
    'resource-prompt': PromptDefinition<{ resourceType: string; resourceId: string }>;
  }
>;

/** The tools of server-memory. */
export type MemoryServer = ServerTypes<
  Record<
    | 'create_entities'
    | 'create_relations'
    | 'add_observations'
    | 'delete_entities'
    | 'delete_observations'
    | 'delete_relations'
    | 'search_nodes'
    | 'open_nodes',
    ToolDefinition<Input, Input>
  > & { read_graph: ToolDefinition<undefined, Input> }
>;

/** The tools of server-filesystem that answer with text. */
export type FilesystemServer = ServerTypes<Record<`${string}_${string}`, ToolDefinition<Input, { content: string }>>>;
