import type { JsonObject } from '@tenon/base';
import type { HandlerContext } from 'tenon/host-internals';
import type { HandlerRun, RequestContext } from 'tenon/proxy';

/** A call of a caller at the host, while its handler runs. Each step of forwarding it gets the same one. */
export interface ProxiedCall {
  readonly context: HandlerContext;
  readonly run: HandlerRun;
  readonly requestContext: RequestContext;
  /** Converts the call into a task, after the server has created a task for it. Set while the call may become one. */
  moveToTask?: (() => void) | undefined;
}

/** Tool of a server, or own tool of the host. */
export interface ProxiedTool {
  /** Input schema of a tool of a server. Headers repeat no arguments of an own tool. */
  readonly inputSchema?: JsonObject | undefined;
  /** Tells if pages of apps may call the tool. Absent for an own tool, which they may not. */
  isForPages?(): boolean;
  /** Undefined if calls of the tool never become tasks. */
  readonly taskSupport: 'optional' | undefined;
  run(params: JsonObject, call: ProxiedCall): Promise<JsonObject>;
}
