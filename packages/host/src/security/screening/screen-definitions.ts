import {
  checkEither,
  checkFunction,
  checkObject,
  checkOptional,
  checkString,
  isObject,
  requireArgument,
} from '@tenon/base';
import type { Icon, Implementation, Prompt, Resource, ResourceTemplate, Tool } from 'tenon';
import type { PromptArgument } from 'tenon/host-internals';
import { HIDDEN_KINDS, STRIPPED_FROM_DATA } from './finding.js';
import {
  createScreener,
  mapChanged,
  replaceFields,
  requireScreening,
  SCREENING,
  type Screened,
  type Screener,
  type Screening,
} from './screener.js';
import { findForeignTools, findShadowedTool, type ToolOwners } from './tool-owners.js';

/**
 * Options for screening a tool. Definitions are for the model and for people, so invisible characters are removed
 * unless `strip` is false.
 *
 * Names and URIs never change, because calls use them. Findings in them are only reported. `_meta` is not screened.
 *
 * All strings and keys of schemas are screened in the same way. A property whose name loses a character can no longer
 * be set, which is the safe failure.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#security-considerations
 */

export interface ToolScreening extends Screening {
  /**
   * Name of the server, to find tools that shadow or mention tools of other servers.
   * @default not checked
   */
  readonly server?: string | undefined;
  readonly owners?: ToolOwners | undefined;
  /**
   * True if public names have a prefix of their server, so that equal names of two servers are not confused.
   * @default `false`
   */
  readonly hasPrefix?: boolean | undefined;
}

const checkNamed = checkObject({ name: checkString });

/** Screens the texts of a tool: title, description, schemas and annotations. */
export function screenTool(tool: Tool, screening: ToolScreening = {}): Screened<Tool> {
  requireArgument('`tool` of screenTool', tool, checkNamed);
  requireScreening('screenTool', screening, { ...SCREENING, server: true, owners: true, hasPrefix: true });
  requireArgument('`owners` of screenTool', screening.owners, checkOptional(checkObject({ get: checkFunction })));
  const screener = createScreener(screening, HIDDEN_KINDS);
  const changed = screenToolTexts(tool, screener, '');
  screenOwners(tool, screening, screener);
  return screener.finish(changed);
}

/** Screens the title, description, icons, schemas and annotations of a tool. */
export function screenToolTexts<Value extends Partial<Tool>>(value: Value, screener: Screener, where: string): Value {
  const { inputSchema, outputSchema, annotations } = value;
  return replaceFields(screenDescribed(value, screener, where), {
    inputSchema: inputSchema && screener.screenDeep(inputSchema, `${where}inputSchema`),
    outputSchema: outputSchema && screener.screenDeep(outputSchema, `${where}outputSchema`),
    annotations: annotations && screener.screenDeep(annotations, `${where}annotations`),
  });
}

/** Screens the texts of a prompt. */
export function screenPrompt(prompt: Prompt, screening: Screening = {}): Screened<Prompt> {
  requireArgument('`prompt` of screenPrompt', prompt, checkNamed);
  requireScreening('screenPrompt', screening, SCREENING);
  const screener = createScreener(screening, HIDDEN_KINDS);
  const screenArgument = (each: PromptArgument, index: number): PromptArgument =>
    isObject(each) ? screenTexts(each, screener, `arguments/${index}/`) : each;
  const { arguments: list } = prompt;
  const args = Array.isArray(list) ? (mapChanged(list, screenArgument) as PromptArgument[]) : list;
  return screener.finish(replaceFields(screenDescribed(prompt, screener), { arguments: args }));
}

const checkResource = checkEither(
  checkObject({ name: checkString, uriTemplate: checkString }),
  checkObject({ name: checkString, uri: checkString }),
);

/** Screens the texts of a resource or a resource template. */
export function screenResource<Offer extends Resource | ResourceTemplate>(
  resource: Offer,
  screening: Screening = {},
): Screened<Offer> {
  requireArgument('`resource` of screenResource', resource, checkResource);
  requireScreening('screenResource', screening, SCREENING);
  const screener = createScreener(screening, HIDDEN_KINDS);
  return screener.finish(screenResourceTexts(resource, screener, ''));
}

/** Screens the title, description, icons and address of a resource, a template, a link, or an entry of a directory. */
export function screenResourceTexts<Value extends Partial<Resource & ResourceTemplate>>(
  value: Value,
  screener: Screener,
  where: string,
): Value {
  for (const name of ['uri', 'uriTemplate'] as const) {
    const address = value[name];
    if (typeof address === 'string') screener.reportText(address, where + name);
  }
  return screenDescribed(value, screener, where);
}

/** Screens the `instructions` of a server. */
export function screenInstructions(instructions: string, screening: Screening = {}): Screened<string> {
  requireArgument('`instructions` of screenInstructions', instructions, checkString);
  requireScreening('screenInstructions', screening, SCREENING);
  const screener = createScreener({ where: 'instructions', ...screening }, HIDDEN_KINDS);
  return screener.finish(screener.screenText(instructions, ''));
}

/** Screens the name and description of a server. */
export function screenImplementation(info: Implementation, screening: Screening = {}): Screened<Implementation> {
  const screener = createScreener(screening, HIDDEN_KINDS);
  screener.reportText(info.version, 'version');
  if (info.websiteUrl !== undefined) screener.reportText(info.websiteUrl, 'websiteUrl');
  return screener.finish(screenDescribed(info, screener));
}

/**
 * Screens an entry of `skills/list`. Its front matter is compared with that of the file, so only the characters that are
 * removed from files are removed. Findings in addresses and digests are only reported.
 *
 * @throws TenonError `options/invalid` if `skill` is no object, or for an unknown option.
 * @see https://modelcontextprotocol.io/extensions/skills
 */
export function screenSkill<Skill extends { readonly frontmatter?: unknown }>(
  skill: Skill,
  screening: Screening = {},
): Screened<Skill> {
  requireArgument('`skill` of screenSkill', skill, checkObject());
  requireScreening('screenSkill', screening, SCREENING);
  const screener = createScreener(screening, STRIPPED_FROM_DATA);
  const { frontmatter, ...others } = skill;
  for (const [name, value] of Object.entries(others)) screener.reportDeep(value, name);
  const fields: { readonly frontmatter?: unknown } = { frontmatter: screener.screenDeep(frontmatter, 'frontmatter') };
  return screener.finish(replaceFields(skill, fields));
}

interface DescribedItem {
  name?: string | undefined;
  title?: string | undefined;
  description?: string | undefined;
  icons?: Icon[] | undefined;
}

function screenDescribed<Value extends DescribedItem>(value: Value, screener: Screener, where = ''): Value {
  // A server that a caller did not check may send anything.
  if (Array.isArray(value.icons))
    value.icons.forEach((icon, index) => {
      if (isObject(icon) && typeof icon.src === 'string') screenIcon(icon, `${where}icons/${index}/src`, screener);
    });
  return screenTexts(value, screener, where);
}

/** Screens the title and description of a value. */
function screenTexts<Value extends DescribedItem>(value: Value, screener: Screener, where: string): Value {
  if (typeof value.name === 'string') screener.reportName(value.name, `${where}name`);
  const screenText = (key: 'title' | 'description'): string | undefined =>
    typeof value[key] === 'string' ? screener.screenText(value[key], where + key) : value[key];
  const fields: { readonly title: unknown; readonly description: unknown } = {
    title: screenText('title'),
    description: screenText('description'),
  };
  return replaceFields(value, fields);
}

/** Reports a suspicious icon. It may be loaded from a web page, and an SVG image may contain scripts. */
function screenIcon({ src }: Icon, where: string, screener: Screener): void {
  const isFine = /^https:\/\//i.test(src) || /^data:image\/(?:png|jpe?g|gif|webp|avif);/i.test(src);
  if (isFine && src.length < 2048) screener.reportText(src, where);
  if (!isFine) screener.addFinding('url-scheme', where, src.slice(0, 256), 0);
}

function screenOwners(tool: Tool, { server, owners, hasPrefix = false }: ToolScreening, screener: Screener): void {
  if (server === undefined || owners === undefined) return;
  const shadowed = hasPrefix ? undefined : findShadowedTool(tool.name, server, owners);
  if (shadowed)
    screener.addFinding(
      'shadowed-name',
      'name',
      tool.name,
      0,
      `${tool.name} is also ${shadowed.name} of ${shadowed.server}`,
    );
  for (const { owner, at } of findForeignTools(tool.description ?? '', server, owners)) {
    screener.addFinding('cross-tool', 'description', owner.name, at, `names ${owner.name} of ${owner.server}`);
  }
}
