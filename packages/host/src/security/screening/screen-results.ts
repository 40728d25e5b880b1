import {
  type Check,
  checkArray,
  checkObject,
  checkString,
  isObject,
  type JsonObject,
  requireArgument,
} from '@tenon/base';
import type {
  CallToolResult,
  ContentBlock,
  GetPromptResult,
  PromptMessage,
  ReadResourceResult,
  Resource,
  ResourceContents,
  SamplingContent,
  SamplingMessage,
} from 'tenon';
import { STRIPPED_FROM_DATA } from './finding.js';
import { screenResourceTexts } from './screen-definitions.js';
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

/**
 * Screens the texts of a result. Findings in `structuredContent` and in the values of a completion are only reported,
 * because programs read them, unless `mask` is set. Images, sound and blobs are not screened.
 *
 * @throws TenonError `options/invalid` if the result is no object or list of messages, or for an unknown option.
 */
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
  const screener = createScreener(screening, STRIPPED_FROM_DATA);
  return screener.finish(screenFields(result, screener, screening.mask === true) as Value);
}

/** Members of the data of an error that are texts for people. */
const TEXTS_OF_ERRORS: ReadonlySet<string> = new Set(['message']);

/**
 * Screens the message and the data of a JSON-RPC error. Findings in the data are only reported, unless `mask` is set. The
 * messages of elicitations in it are texts for people, as the message of the error is.
 *
 * @throws TenonError `options/invalid` if the error has no message, or for an unknown option.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#responses
 */
export function screenError<Value extends { readonly message: string; readonly data?: unknown }>(
  error: Value,
  screening: Screening = {},
): Screened<Value> {
  requireArgument('`error` of screenError', error, checkObject({ message: checkString }));
  requireScreening('screenError', screening, SCREENING);
  const screener = createScreener(screening, STRIPPED_FROM_DATA);
  const message = screener.screenText(error.message, 'message');
  const data = screener.screenDeep(error.data, 'data', screening.mask ? undefined : TEXTS_OF_ERRORS);
  return screener.finish(replaceFields<{ message: unknown; data?: unknown }>(error, { message, data }) as Value);
}

type ScreenableContent = ContentBlock | SamplingContent;

type ChangingField =
  | 'completion'
  | 'content'
  | 'contents'
  | 'description'
  | 'messages'
  | 'resources'
  | 'structuredContent';

function screenFields(result: ScreenableResult, screener: Screener, masks: boolean): unknown {
  if (Array.isArray(result)) return screenMessages(result, screener, '');
  const fields = result as Partial<CallToolResult & ReadResourceResult & GetPromptResult> & JsonObject;
  const changes: { [key in ChangingField]?: unknown } = {};
  for (const name of ['structuredContent', 'completion'] as const) {
    if (fields[name] === undefined) continue;
    if (masks) changes[name] = screener.screenDeep(fields[name], name);
    else screener.reportDeep(fields[name], name);
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
  if (Array.isArray(fields.resources)) {
    changes.resources = mapChanged(fields.resources, (each: unknown, index) =>
      isObject(each) ? screenResourceTexts(each as Partial<Resource>, screener, `resources/${index}/`) : each,
    );
  }
  return replaceFields(result, changes);
}

/** Screens the messages of a prompt or a sampling request. */
export function screenMessages(
  given: readonly (PromptMessage | SamplingMessage)[],
  screener: Screener,
  where: string,
): readonly (PromptMessage | SamplingMessage)[] {
  return mapChanged(given, (message, index) => {
    if (!isObject(message)) return message;
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
  // A server may send anything in an input request.
  if (!isObject(given)) return given;
  switch (given.type) {
    case 'text':
      if (typeof given.text !== 'string') return given;
      return replaceFields(given, { text: screener.screenText(given.text, `${where}/text`) });
    case 'resource_link':
      return screenResourceTexts(given, screener, `${where}/`);
    case 'resource':
      if (!isObject(given.resource)) return given;
      return replaceFields(given, { resource: screenResourceContents(given.resource, screener, `${where}/resource`) });
    case 'tool_use':
      screener.reportDeep(given.input, `${where}/input`);
      return given;
    case 'tool_result':
      if (given.structuredContent !== undefined) {
        screener.reportDeep(given.structuredContent, `${where}/structuredContent`);
      }
      if (!Array.isArray(given.content)) return given;
      return replaceFields(given, { content: screenContentBlocks(given.content, screener, `${where}/content`) });
    default:
      return given;
  }
}

function screenResourceContents(given: ResourceContents, screener: Screener, where: string): ResourceContents {
  screener.reportText(given.uri, `${where}/uri`);
  return 'text' in given && typeof given.text === 'string'
    ? replaceFields(given, { text: screener.screenText(given.text, `${where}/text`) })
    : given;
}
