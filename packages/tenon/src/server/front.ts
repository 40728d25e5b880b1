import type { JsonObject } from '../jsonrpc/message.js';
import type { ServerCapabilities } from '../model/capabilities.js';
import type { Mirror } from '../model/mirror.js';
import type { Context } from './context.js';
import type { Installed } from './extension.js';
import type { SoundTaskRules } from './task-rules.js';
import type { Session, Turn } from './turn.js';

/** What stands in the place of a server's catalogs: it offers what others offer. Its operations may be those of any method. */
export interface Front extends Installed {
  /** What it declares to everybody. */
  readonly offers: ServerCapabilities;
  /** A tool of another. Rejects with what the client is to be told when there is none. */
  tool(name: string, turn: Turn): Promise<FrontTool>;
  /** What the structured content of a tool is. Nothing when nobody knows. */
  outputSchemaOf(name: string, turn: Turn): Promise<JsonObject | undefined>;
  instructions(whom: Whom): Promise<string | undefined>;
  /** The roots of this session's client have changed. */
  rootsChanged(session: Session): void;
}

/** Who opens a conversation, or asks what there is. */
export type Whom = Pick<Turn, 'caller' | 'dialect' | 'begunIn'> & { readonly session?: Session | undefined };

/** A tool of another. */
export interface FrontTool {
  readonly mirrors: readonly Mirror[];
  readonly rules: SoundTaskRules | undefined;
  run(params: JsonObject, context: Context, turn: Turn): Promise<JsonObject>;
}
