import type { JsonObject } from '@tenon/base';
import type { Tool } from '../../protocol/content.js';
import { type HeaderParam, readHeaderParams } from '../../protocol/header-params.js';
import type { PeerSchemaValidator } from '../../schemas/peer-schema.js';

/** A tool in the cache of the client. */
export interface CachedTool {
  readonly tool: Tool;
  readonly headerParams: readonly HeaderParam[];
  readonly outputValidator: PeerSchemaValidator | undefined;
}

/** The tools of the server: headers that repeat their arguments, and validators of their results. */
export class ToolCache {
  #tools: Map<string, CachedTool> | undefined;
  #loading: Promise<void> | undefined;

  /** True if the current list of tools was loaded. */
  get isLoaded(): boolean {
    return this.#tools !== undefined;
  }

  get(name: string): CachedTool | undefined {
    return this.#tools?.get(name);
  }

  clear(): void {
    this.#tools = undefined;
  }

  /** Stores a complete list of tools. Loads the schema validator only if a tool has an output schema. */
  async set(tools: readonly Tool[]): Promise<void> {
    const validators = tools.some(tool => tool.outputSchema) ? await import('../../schemas/peer-schema.js') : undefined;
    this.#tools = new Map(tools.map(tool => [tool.name, toCachedTool(tool, validators?.compilePeerSchema)]));
  }

  /** Loads the list of tools unless it is loaded. Concurrent callers share one request. */
  async ensure(list: () => Promise<readonly Tool[]>): Promise<void> {
    if (this.#tools) return;
    this.#loading ??= list()
      .then(tools => this.set(tools))
      .finally(() => {
        this.#loading = undefined;
      });
    await this.#loading;
  }
}

type CompileSchema = (schema: JsonObject) => PeerSchemaValidator;

function toCachedTool(tool: Tool, compile: CompileSchema | undefined): CachedTool {
  const mirrors = readHeaderParams(tool.inputSchema);
  let outputValidator: PeerSchemaValidator | undefined;
  try {
    outputValidator = tool.outputSchema && compile?.(tool.outputSchema);
  } catch {
    // A schema that cannot be used validates nothing, so that other tools still work.
  }
  return { tool, headerParams: typeof mirrors === 'string' ? [] : mirrors, outputValidator };
}
