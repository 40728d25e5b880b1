import { type Check, checkArray, checkObject, type JsonObject, requireArgument } from '@tenon/base';
import type {
  CallToolResult,
  ContentBlock,
  GetPromptResult,
  PromptMessage,
  ReadResourceResult,
  ResourceContents,
  SamplingContent,
  SamplingMessage,
} from 'tenon';
import type { HiddenKind } from './finding.js';
import { replaceFields, screenTexts } from './screen-definitions.js';
import {
  createScreener,
  mapChanged,
  requireScreening,
  SCREENING,
  type Screened,
  type Screener,
  type Screening,
} from './screener.js';

/**
 * Kinds of invisible characters that are removed from results. Results are data, such as source code, so only
 * characters without any legitimate use are removed: tag characters, bidirectional controls, terminal sequences.
 *
 * Findings in `structuredContent` are only reported, because programs read it. Images, sound and blobs are not
 * screened.
 */
const STRIPPED_FROM_RESULTS: readonly HiddenKind[] = ['ansi', 'bidi', 'tag'];

export type ScreenableResult =
  | JsonObject
  | CallToolResult
  | ReadResourceResult
  | GetPromptResult
  | readonly PromptMessage[]
  | readonly SamplingMessage[];

const checkMessages = checkArray(checkObject());
const checkFields = checkObject();
const checkResult: Check = value => (Array.isArray(value) ? checkMessages(value) : checkFields(value));

/** Screens the texts of a result. */
export function screenResult<Value extends ScreenableResult>(
  result: Value,
  screening: Screening = {},
): Screened<Value> {
  requireArgument('`result` of screenResult', result, checkResult);
  requireScreening('screenResult', screening, SCREENING);
  return screenCheckedResult(result, screening);
}

/** Screens the texts of a result as `screenResult` does, without a check of its arguments. */
export function screenCheckedResult<Value extends ScreenableResult>(
  result: Value,
  screening: Screening,
): Screened<Value> {
  const screener = createScreener(screening, STRIPPED_FROM_RESULTS);
  return screener.finish(screenFields(result, screener, screening.mask === true) as Value);
}

type ScreenableContent = ContentBlock | SamplingContent;

function screenFields(result: ScreenableResult, screener: Screener, masks: boolean): unknown {
  if (Array.isArray(result)) return screenMessages(result, screener, '');
  const fields = result as Partial<CallToolResult & ReadResourceResult & GetPromptResult>;
  const changes: { [key in 'structuredContent' | 'content' | 'messages' | 'description' | 'contents']?: unknown } = {};
  if (fields.structuredContent !== undefined) {
    if (masks) changes.structuredContent = screener.screenDeep(fields.structuredContent, 'structuredContent');
    else screener.reportDeep(fields.structuredContent, 'structuredContent');
  }
  if (Array.isArray(fields.content)) changes.content = screenContentBlocks(fields.content, screener, 'content');
  if (Array.isArray(fields.messages)) changes.messages = screenMessages(fields.messages, screener, 'messages/');
  if (typeof fields.description === 'string')
    changes.description = screener.screenText(fields.description, 'description');
  if (Array.isArray(fields.contents)) {
    changes.contents = mapChanged(fields.contents, (each, index) =>
      screenResourceContents(each, screener, `contents/${index}`),
    );
  }
  return replaceFields(result, changes);
}

function screenMessages(
  given: readonly (PromptMessage | SamplingMessage)[],
  screener: Screener,
  where: string,
): readonly (PromptMessage | SamplingMessage)[] {
  return mapChanged(given, (message, index) => {
    const place = `${where}${index}/content`;
    const { content } = message;
    return replaceFields(message, {
      content: Array.isArray(content)
        ? screenContentBlocks(content, screener, place)
        : screenContentBlock(content, screener, place),
    });
  });
}

const screenContentBlocks = <Each extends ScreenableContent>(
  given: readonly Each[],
  screener: Screener,
  where: string,
): readonly Each[] =>
  mapChanged(given, (each, index) => screenContentBlock(each, screener, `${where}/${index}`) as Each);

function screenContentBlock(given: ScreenableContent, screener: Screener, where: string): ScreenableContent {
  switch (given.type) {
    case 'text':
      return replaceFields(given, { text: screener.screenText(given.text, `${where}/text`) });
    case 'resource_link':
      screener.reportText(given.uri, `${where}/uri`);
      return screenTexts(given, screener, `${where}/`);
    case 'resource':
      return replaceFields(given, { resource: screenResourceContents(given.resource, screener, `${where}/resource`) });
    case 'tool_use':
      screener.reportDeep(given.input, `${where}/input`);
      return given;
    case 'tool_result':
      if (given.structuredContent !== undefined) {
        screener.reportDeep(given.structuredContent, `${where}/structuredContent`);
      }
      return replaceFields(given, { content: screenContentBlocks(given.content, screener, `${where}/content`) });
    default:
      return given;
  }
}

function screenResourceContents(given: ResourceContents, screener: Screener, where: string): ResourceContents {
  screener.reportText(given.uri, `${where}/uri`);
  return 'text' in given ? replaceFields(given, { text: screener.screenText(given.text, `${where}/text`) }) : given;
}
