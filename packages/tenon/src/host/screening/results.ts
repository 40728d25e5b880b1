import type { SamplingContent, SamplingMessage } from '../../model/asking.js';
import type { ContentBlock, PromptMessage, ResourceContents } from '../../model/content.js';
import type { CallToolResult, GetPromptResult, ReadResourceResult } from '../../model/shapes.js';
import { replaced, texts } from './definitions.js';
import type { HiddenKind } from './finding.js';
import { changedItems, createScreener, type Screened, type Screener, type Screening } from './screener.js';

/**
 * What servers answer. Results are data: a program's source may need a character that no description needs. So only
 * what has a use in no text is taken out by default: tag characters, bidirectional controls, terminal sequences.
 * `structuredContent` is reported and never altered, since programs read it; images, sound and blobs are not read.
 */
const strippedFromResults: readonly HiddenKind[] = ['ansi', 'bidi', 'tag'];

export type Answer =
  | CallToolResult
  | ReadResourceResult
  | GetPromptResult
  | readonly PromptMessage[]
  | readonly SamplingMessage[];

export function screenResult<Value extends Answer>(result: Value, screening: Screening = {}): Screened<Value> {
  const screener = createScreener(screening, strippedFromResults);
  return screener.done(answer(result, screener, screening.mask === true) as Value);
}

type Block = ContentBlock | SamplingContent;

function answer(result: Answer, screener: Screener, masks: boolean): unknown {
  if (Array.isArray(result)) return messages(result, screener, '');
  const fields = result as Partial<CallToolResult & ReadResourceResult & GetPromptResult>;
  const changes: { [key in 'structuredContent' | 'content' | 'messages' | 'description' | 'contents']?: unknown } = {};
  if (fields.structuredContent !== undefined) {
    if (masks) changes.structuredContent = screener.deep(fields.structuredContent, 'structuredContent');
    else screener.reportDeep(fields.structuredContent, 'structuredContent');
  }
  if (Array.isArray(fields.content)) changes.content = blocks(fields.content, screener, 'content');
  if (Array.isArray(fields.messages)) changes.messages = messages(fields.messages, screener, 'messages/');
  if (typeof fields.description === 'string') changes.description = screener.text(fields.description, 'description');
  if (Array.isArray(fields.contents)) {
    changes.contents = changedItems(fields.contents, (each, index) => contents(each, screener, `contents/${index}`));
  }
  return replaced(result, changes);
}

function messages(
  given: readonly (PromptMessage | SamplingMessage)[],
  screener: Screener,
  where: string,
): readonly (PromptMessage | SamplingMessage)[] {
  return changedItems(given, (message, index) => {
    const place = `${where}${index}/content`;
    const { content } = message;
    return replaced(message, {
      content: Array.isArray(content) ? blocks(content, screener, place) : block(content, screener, place),
    });
  });
}

const blocks = <Each extends Block>(given: readonly Each[], screener: Screener, where: string): readonly Each[] =>
  changedItems(given, (each, index) => block(each, screener, `${where}/${index}`) as Each);

function block(given: Block, screener: Screener, where: string): Block {
  switch (given.type) {
    case 'text':
      return replaced(given, { text: screener.text(given.text, `${where}/text`) });
    case 'resource_link':
      screener.report(given.uri, `${where}/uri`);
      return texts(given, screener, `${where}/`);
    case 'resource':
      return replaced(given, { resource: contents(given.resource, screener, `${where}/resource`) });
    case 'tool_use':
      screener.reportDeep(given.input, `${where}/input`);
      return given;
    case 'tool_result':
      if (given.structuredContent !== undefined) {
        screener.reportDeep(given.structuredContent, `${where}/structuredContent`);
      }
      return replaced(given, { content: blocks(given.content, screener, `${where}/content`) });
    default:
      return given;
  }
}

function contents(given: ResourceContents, screener: Screener, where: string): ResourceContents {
  screener.report(given.uri, `${where}/uri`);
  return 'text' in given ? replaced(given, { text: screener.text(given.text, `${where}/text`) }) : given;
}
