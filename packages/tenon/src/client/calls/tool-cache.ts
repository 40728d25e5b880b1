import type { JsonObject } from '../../jsonrpc/message.js';
import type { Tool } from '../../protocol/content.js';
import { type HeaderParam, readHeaderParams } from '../../protocol/header-params.js';
import type { PeerSchemaValidator } from '../../schemas/peer-schema.js';

/** A tool as the client knows it. */
export interface CachedTool {
  readonly tool: Tool;
  readonly headerParams: readonly HeaderParam[];
  readonly outputValidator: PeerSchemaValidator | undefined;
}

/** The tools of the server: headers that mirror their arguments, and validators of their results. */
export class ToolCache {
  #tools: Map<string, CachedTool> | undefined;
  #loading: Promise<void> | undefined;

  /** True if the list was read since it last changed. */
  get isLoaded(): boolean {
    return this.#tools !== undefined;
  }

  get(name: string): CachedTool | undefined {
    return this.#tools?.get(name);
  }

  clear(): void {
    this.#tools = undefined;
  }

  /** Takes note of a whole list. What judges results is loaded when there is something to judge them by. */
  async set(tools: readonly Tool[]): Promise<void> {
    const validators = tools.some(tool => tool.outputSchema) ? await import('../../schemas/peer-schema.js') : undefined;
    this.#tools = new Map(tools.map(tool => [tool.name, toCachedTool(tool, validators?.compilePeerSchema)]));
  }

  /** Reads the list unless it is known. Callers that come meanwhile wait for the same reading. */
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
  return {
    tool,
    headerParams: typeof mirrors === 'string' ? [] : mirrors,
    outputValidator: tool.outputSchema && compile && compileOutput(tool.outputSchema, compile),
  };
}

/** A schema that cannot be used checks nothing: the server's other tools are none the worse for it. */
function compileOutput(schema: JsonObject, compile: CompileSchema): PeerSchemaValidator | undefined {
  try {
    return compile(schema);
  } catch {
    return undefined;
  }
}

/** Returns the reason why a tool cannot be called over HTTP, if its header annotations are wrong. */
export function findHeaderProblem({ inputSchema }: { inputSchema: JsonObject }): string | undefined {
  const headerParams = readHeaderParams(inputSchema);
  return typeof headerParams === 'string' ? headerParams : undefined;
}
