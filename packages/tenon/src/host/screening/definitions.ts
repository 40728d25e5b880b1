import type {
  Icon,
  Implementation,
  Prompt,
  PromptArgument,
  Resource,
  ResourceTemplate,
  Tool,
} from '../../model/content.js';
import { hiddenKinds } from './finding.js';
import { foreignTools, type Owners, shadowedBy } from './owners.js';
import { changedItems, createScreener, type Screened, type Screener, type Screening } from './screener.js';

/**
 * What servers say of what they offer. It goes to the model and to people as it comes, so hidden characters are taken
 * out unless the policy says otherwise (`strip: false`). Names and URIs are never altered, since calls are made by
 * them: they are reported. `_meta` is neither read nor altered. Within schemas all strings and keys are treated alike;
 * a property whose name loses a character can no longer be filled, which is the safe way to fail.
 * https://modelcontextprotocol.io/specification/2026-07-28/server/tools#security-considerations
 */

export interface ToolScreening extends Screening {
  /** Whose the tool is, and whose the other tools are: for names that shadow, and tools that speak of others'. */
  readonly server?: string | undefined;
  readonly owners?: Owners | undefined;
  /** Names are offered with a prefix of their server, so equal names of two servers are not confused. Default `false`. */
  readonly hasPrefix?: boolean | undefined;
}

export function screenTool(tool: Tool, screening: ToolScreening = {}): Screened<Tool> {
  const screener = createScreener(screening, hiddenKinds);
  const changed = described(tool, screener);
  const inputSchema = screener.deep(tool.inputSchema, 'inputSchema');
  const outputSchema = tool.outputSchema && screener.deep(tool.outputSchema, 'outputSchema');
  const annotations = tool.annotations && screener.deep(tool.annotations, 'annotations');
  judgeOwners(tool, screening, screener);
  return screener.done(replaced(changed, { inputSchema, outputSchema, annotations }));
}

export function screenPrompt(prompt: Prompt, screening: Screening = {}): Screened<Prompt> {
  const screener = createScreener(screening, hiddenKinds);
  const argument = (each: PromptArgument, index: number): PromptArgument =>
    texts(each, screener, `arguments/${index}/`);
  const args = prompt.arguments && (changedItems(prompt.arguments, argument) as PromptArgument[]);
  return screener.done(replaced(described(prompt, screener), { arguments: args }));
}

export function screenResource<Offer extends Resource | ResourceTemplate>(
  resource: Offer,
  screening: Screening = {},
): Screened<Offer> {
  const screener = createScreener(screening, hiddenKinds);
  if ('uri' in resource) screener.report(resource.uri, 'uri');
  else screener.report(resource.uriTemplate, 'uriTemplate');
  return screener.done(described(resource, screener));
}

/** The `instructions` of a server, which hosts lay before a conversation. */
export function screenInstructions(instructions: string, screening: Screening = {}): Screened<string> {
  const screener = createScreener({ where: 'instructions', ...screening }, hiddenKinds);
  return screener.done(screener.text(instructions, ''));
}

/** What a server says of itself. */
export function screenImplementation(info: Implementation, screening: Screening = {}): Screened<Implementation> {
  const screener = createScreener(screening, hiddenKinds);
  screener.report(info.version, 'version');
  if (info.websiteUrl !== undefined) screener.report(info.websiteUrl, 'websiteUrl');
  return screener.done(described(info, screener));
}

interface Described {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  icons?: Icon[] | undefined;
}

function described<Value extends Described>(value: Value, screener: Screener): Value {
  value.icons?.forEach((icon, index) => judgeIcon(icon, `icons/${index}/src`, screener));
  return texts(value, screener, '');
}

/** The texts that everything with a name has. */
export function texts<Value extends Described>(value: Value, screener: Screener, where: string): Value {
  screener.name(value.name, `${where}name`);
  const text = (key: 'title' | 'description'): string | undefined =>
    typeof value[key] === 'string' ? screener.text(value[key], where + key) : value[key];
  const fields: { readonly title: unknown; readonly description: unknown } = {
    title: text('title'),
    description: text('description'),
  };
  return replaced(value, fields);
}

/** An icon is a picture from a web page or within the message. A picture in SVG may hold scripts. */
function judgeIcon({ src }: Icon, where: string, screener: Screener): void {
  const isFine = /^https:\/\//i.test(src) || /^data:image\/(?:png|jpe?g|gif|webp|avif);/i.test(src);
  if (isFine && src.length < 2048) screener.report(src, where);
  if (!isFine) screener.add('url-scheme', where, src.slice(0, 256), 0);
}

function judgeOwners(tool: Tool, { server, owners, hasPrefix = false }: ToolScreening, screener: Screener): void {
  if (server === undefined || owners === undefined) return;
  const shadowed = hasPrefix ? undefined : shadowedBy(tool.name, server, owners);
  if (shadowed)
    screener.add('shadowed-name', 'name', tool.name, 0, `${tool.name} is also ${shadowed.name} of ${shadowed.server}`);
  for (const { owner, at } of foreignTools(tool.description ?? '', server, owners)) {
    screener.add('cross-tool', 'description', owner.name, at, `names ${owner.name} of ${owner.server}`);
  }
}

/** The same object when nothing differs. */
export function replaced<Value extends object>(
  value: Value,
  fields: { readonly [Key in keyof Value]?: unknown },
): Value {
  const different = Object.entries(fields).filter(([key, field]) => field !== value[key as keyof Value]);
  return different.length === 0 ? value : ({ ...value, ...Object.fromEntries(different) } as Value);
}
